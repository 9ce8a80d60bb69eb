/** Runs pieces of work one after the other, whether or not the previous one failed. */
export interface InOrder {
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when all work requested so far has ended. */
  idle(): Promise<void>;
}

export const createInOrder = (): InOrder => {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (work) => {
      const next = last.then(work);
      last = next.catch(() => {});
      return next;
    },
    idle: async () => {
      await last;
    },
  };
};
