/** Counts running work. */
export interface RunningCount {
  add(): void;
  remove(): void;
  /** Resolves when nothing is running. */
  none(): Promise<void>;
}

export const createRunningCount = (): RunningCount => {
  let count = 0;
  let whenNone: (() => void) | undefined;
  return {
    add: () => void count++,
    remove: () => {
      if (--count === 0) whenNone?.();
    },
    none: () =>
      count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            whenNone = resolve;
          }),
  };
};
