import { foreignError, type PipelineError } from "@tritype/core";
import { type CancelSignal, onAbort } from "../scheduling/cancellation.ts";

/**
 * Runs each piece of work when its turn comes. If it is no longer needed by then, rejects with `request/cancelled` and never starts
 * it.
 */
export type TakeTurn = <T>(signal: CancelSignal | undefined, work: () => Promise<T>) => Promise<T>;

/**
 * Grants turns in the order of the requests, at most `atOnce` at a time. Work that is no longer needed leaves the queue,
 * and its memory is released.
 */
export const createTurns = (atOnce: number): TakeTurn => {
  const waiting = new Set<() => void>();
  let running = 0;
  const next = (): void => {
    const [begin] = waiting;
    if (begin === undefined || running >= atOnce) return;
    waiting.delete(begin);
    running++;
    begin();
  };
  const turn = (signal: CancelSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        stopWatching();
        resolve();
      };
      const stopWatching = onAbort(signal, () => {
        waiting.delete(begin);
        reject(abandoned());
      });
      waiting.add(begin);
      next();
    });
  return async (signal, work) => {
    requireWaiting(signal);
    await turn(signal);
    try {
      requireWaiting(signal);
      return await work();
    } finally {
      running--;
      next();
    }
  };
};

/** @throws PipelineError `request/cancelled` if the request is no longer needed. */
export const requireWaiting = (signal: CancelSignal | undefined): void => {
  if (signal?.aborted === true) throw abandoned();
};

const abandoned = (): PipelineError => foreignError("request/cancelled", "Request was cancelled");
