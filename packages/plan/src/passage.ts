/**
 * Work on requests outside the models. It is short and spread over many threads: schedulers let it go first.
 * @param us The time that each request needs on a processor.
 */
export const createPassage = (us: number, cores: number, later: (us: number, then: () => void) => void) => {
  const waiting: (() => void)[] = [];
  let busy = 0;
  const pass = (next: () => void): void => {
    if (us === 0) next();
    else if (busy === cores) waiting.push(next);
    else {
      busy++;
      later(us, () => {
        busy--;
        const first = waiting.shift();
        if (first !== undefined) pass(first);
        next();
      });
    }
  };
  return {
    /** The number of processors that it uses. */
    busy: (): number => busy,
    /** Calls `next` once the work on a request is done. */
    pass: (next: () => void): void => pass(next),
  };
};
