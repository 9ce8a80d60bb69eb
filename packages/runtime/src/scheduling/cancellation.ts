import { foreignError, type PipelineError, requestPrefix } from "@tritype/core";

export const cancelled = (id: string): PipelineError =>
  foreignError("request/cancelled", `${requestPrefix(id)}Request was cancelled`);

/** The functions to call when a signal is aborted. Node's own listeners form a list that each removal walks, and a stream has one signal for all of its requests. */
const acts = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `act` once when the signal is aborted; the returned function stops listening. */
export const onAbort = (signal: AbortSignal | undefined, act: () => void): (() => void) => {
  if (signal === undefined) return notWatched;
  const all = acts.get(signal) ?? watch(signal);
  // A function of its own, so that the same `act` can be given twice.
  const mine = (): void => act();
  all.add(mine);
  return () => all.delete(mine);
};

/** Like `onAbort`, but also calls `act`, at once, if the signal was aborted earlier. */
export const onceAborted = (signal: AbortSignal | undefined, act: () => void): (() => void) => {
  if (signal?.aborted === true) act();
  return onAbort(signal, act);
};

const watch = (signal: AbortSignal): Set<() => void> => {
  const all = new Set<() => void>();
  acts.set(signal, all);
  const callAll = (): void => {
    for (const act of all) act();
    all.clear();
  };
  signal.addEventListener("abort", callAll, { once: true });
  return all;
};

const notWatched = (): void => {};
