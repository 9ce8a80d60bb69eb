import { AsyncLocalStorage } from "node:async_hooks";

/** A request while a function works on it. */
export interface RequestContext {
  /** Aborted when its time is over or no client waits for it. */
  readonly signal: AbortSignal;
  abort(reason: Error): void;
}

const storage = new AsyncLocalStorage<RequestContext>();

export const openContext = (): RequestContext => {
  let controller: AbortController | undefined;
  let reason: Error | undefined;
  return {
    get signal() {
      controller ??= new AbortController();
      if (reason !== undefined) controller.abort(reason);
      return controller.signal;
    },
    abort: (why) => {
      reason = why;
      controller?.abort(why);
    },
  };
};

/** Runs what belongs to a request. */
export const within = <T>(context: RequestContext, work: () => T): T => storage.run(context, work);

/** Makes `fetch` end with the request that calls it. */
export const limitFetch = (): void => {
  const unlimited = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const context = storage.getStore();
    if (context === undefined) return unlimited(input, init);
    const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const signal = own == null ? context.signal : AbortSignal.any([own, context.signal]);
    return unlimited(input, { ...init, signal });
  };
};
