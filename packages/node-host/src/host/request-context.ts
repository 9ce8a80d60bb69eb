import { AsyncLocalStorage } from "node:async_hooks";

/** A request while a function works on it. */
export interface RequestContext {
  /** Aborted when its time is over or no client waits for it. */
  readonly signal: AbortSignal;
  /** Why it can make no more calls; undefined while it can. */
  readonly reason: Error | undefined;
  /** The microseconds that are left, at least 1. */
  left(): number;
  abort(reason: Error): void;
  /** It has its answer: its calls end, but a `fetch` may continue. */
  answered(): void;
  /** Calls back once when it can make no more calls; returns a function that cancels this. */
  onEnd(call: () => void): () => void;
}

const storage = new AsyncLocalStorage<RequestContext>();

/** @param limit Milliseconds that the request may take. */
export const openContext = (limit: number): RequestContext => {
  const end = performance.now() + limit;
  const listeners = new Set<() => void>();
  let controller: AbortController | undefined;
  let reason: Error | undefined;
  let isAborted = false;
  const endCalls = (why: Error): void => {
    reason ??= why;
    for (const call of listeners) call();
    listeners.clear();
  };
  return {
    get signal() {
      controller ??= new AbortController();
      if (isAborted) controller.abort(reason);
      return controller.signal;
    },
    get reason() {
      return reason;
    },
    left: () => Math.max(1, Math.round((end - performance.now()) * 1000)),
    abort: (why) => {
      isAborted = true;
      endCalls(why);
      controller?.abort(why);
    },
    answered: () => endCalls(new Error("the request already has its answer")),
    onEnd: (call) => {
      listeners.add(call);
      return () => void listeners.delete(call);
    },
  };
};

/** Runs what belongs to a request. */
export const within = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);

/** Makes `fetch` end with the request that calls it. */
export const limitFetch = (): void => {
  const unlimited = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const context = storage.getStore();
    if (context === undefined) return unlimited(input, init);
    const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const signal = own == null ? context.signal : AbortSignal.any([own, context.signal]);
    try {
      return await unlimited(input, { ...init, signal });
    } catch (error) {
      const { reason } = context;
      // The stack of a new error leads to the author's line.
      throw error === reason ? new Error(`fetch: ${reason?.message}`, { cause: error }) : error;
    }
  };
};
