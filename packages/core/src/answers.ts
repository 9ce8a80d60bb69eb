/**
 * The answers to one request, in the order in which they arrive. The request is sent when the first answer is read. Leaving the loop (`break`,
 * `return()`) cancels it. The answers can only be read once: a second loop is an error.
 */
export interface Answers<T> extends AsyncIterable<T> {
  next(): Promise<IteratorResult<T, void>>;
  /** Cancels the request, which also ends a pending `next()`. */
  return(): Promise<IteratorResult<T, void>>;
  [Symbol.asyncIterator](): Answers<T>;
}

/**
 * The answers that `reading` yields.
 * @param leave Called when the reader stops reading; it ends `reading` early, with or without an error.
 * @param readTwice Makes the error for a loop over answers that have ended or were left.
 */
export const answersOf = <T>(
  reading: AsyncGenerator<T, void, void>,
  leave: () => void,
  readTwice: () => Error,
): Answers<T> => {
  let [left, over] = [false, false];
  const end = { done: true, value: undefined } as const;
  const answers: Answers<T> = {
    next: async () => {
      try {
        const next = await reading.next();
        over ||= next.done === true;
        return next;
      } catch (error) {
        over = true;
        if (left) return end;
        throw error;
      }
    },
    return: async () => {
      left = over = true;
      leave();
      await reading.return().catch(() => {});
      return end;
    },
    [Symbol.asyncIterator]: () => {
      if (over) throw readTwice();
      return answers;
    },
  };
  return answers;
};
