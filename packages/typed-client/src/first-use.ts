import type { Scope } from "./scope.ts";

/**
 * Work that the first call starts and all calls wait for. It is done once; after a failure, or when all waiting callers have
 * given up, the next call starts it again.
 */
export const onFirstUse = <T>(work: (signal: AbortSignal) => Promise<T>): ((scope: Scope) => Promise<T>) => {
  interface Run {
    readonly result: Promise<T>;
    readonly controller: AbortController;
    waiting: number;
    done: boolean;
  }
  let run: Run | undefined;
  const start = (): Run => {
    const controller = new AbortController();
    const started: Run = { result: work(controller.signal), controller, waiting: 0, done: false };
    const forget = (): void => {
      if (run === started) run = undefined;
    };
    started.result.then(() => (started.done = true), forget);
    return started;
  };
  return async (scope) => {
    const mine = (run ??= start());
    mine.waiting++;
    try {
      return await scope.race(mine.result);
    } finally {
      mine.waiting--;
      if (mine.waiting === 0 && !mine.done) {
        mine.controller.abort();
        if (run === mine) run = undefined;
      }
    }
  };
};
