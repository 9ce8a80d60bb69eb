/** The next Ctrl-C or SIGTERM ends the process after `before`, and the one after that ends it at once. @returns Removes this again. */
export const endAtSignal = (before: () => Promise<unknown>): (() => void) => {
  const end = (signal: NodeJS.Signals): void => {
    release();
    void before().finally(() => process.kill(process.pid, signal));
  };
  const release = (): void => void process.off("SIGINT", end).off("SIGTERM", end);
  process.on("SIGINT", end).on("SIGTERM", end);
  return release;
};
