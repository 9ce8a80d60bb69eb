import { foreignError, type PipelineError, requestPrefix } from "@tritype/core";

export const cancelled = (id: string): PipelineError =>
  foreignError("request/cancelled", `${requestPrefix(id)}Request was cancelled`);

/** Tells that the answer to a request is no longer needed. */
export type CancelSignal = AbortSignal | Cancellation;

/** An `AbortController` and its signal in one; making and watching them takes a tenth of the processor time of a small request. */
export class Cancellation {
  #aborted = false;
  /** Most requests are never watched. */
  #acts: Set<() => void> | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  /** The second call has no effect. */
  abort(): void {
    if (this.#aborted) return;
    this.#aborted = true;
    for (const act of this.#acts ?? []) act();
    this.#acts = undefined;
  }

  /** Calls `act` once when the request is cancelled; the returned function stops listening. */
  onAbort(act: () => void): () => void {
    // A function of its own, so that the same `act` can be given twice.
    const mine = (): void => act();
    const acts = (this.#acts ??= new Set());
    acts.add(mine);
    return () => acts.delete(mine);
  }
}

/** The same as the platform's own signal, for code that needs one. */
export const abortSignalOf = (signal: CancelSignal): AbortSignal => {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  onceAborted(signal, () => controller.abort());
  return controller.signal;
};

/** Node's own listeners form a list that each removal walks, and a stream has one signal for all of its requests. */
const watched = new WeakMap<AbortSignal, Cancellation>();

/** Calls `act` once when the signal is aborted; the returned function stops listening. */
export const onAbort = (signal: CancelSignal | undefined, act: () => void): (() => void) => {
  if (signal === undefined) return notWatched;
  const cancellation = signal instanceof AbortSignal ? (watched.get(signal) ?? watch(signal)) : signal;
  return cancellation.onAbort(act);
};

/** Like `onAbort`, but also calls `act`, at once, if the signal was aborted earlier. */
export const onceAborted = (signal: CancelSignal | undefined, act: () => void): (() => void) => {
  if (signal?.aborted === true) act();
  return onAbort(signal, act);
};

const watch = (signal: AbortSignal): Cancellation => {
  const cancellation = new Cancellation();
  watched.set(signal, cancellation);
  signal.addEventListener("abort", () => cancellation.abort(), { once: true });
  return cancellation;
};

const notWatched = (): void => {};
