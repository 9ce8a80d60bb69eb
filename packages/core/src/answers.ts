/**
 * The answers to one request, in the order in which they arrive. The request is sent when the first answer is read. Leaving the loop (`break`,
 * `return()`) cancels it. The answers can only be read once.
 */
export interface Answers<T> extends AsyncIterable<T> {
  next(): Promise<IteratorResult<T, void>>;
  /** Cancels the request, which also ends a pending `next()`. */
  return(): Promise<IteratorResult<T, void>>;
  [Symbol.asyncIterator](): Answers<T>;
}

/**
 * The answers that `reading` yields. `leave` is called when the reader stops reading; it ends `reading` early, with or
 * without an error.
 */
export const answersOf = <T>(reading: AsyncGenerator<T, void, void>, leave: () => void): Answers<T> => {
  let left = false;
  const end = { done: true, value: undefined } as const;
  const answers: Answers<T> = {
    next: async () => {
      try {
        return await reading.next();
      } catch (error) {
        if (left) return end;
        throw error;
      }
    },
    return: async () => {
      left = true;
      leave();
      await reading.return().catch(() => {});
      return end;
    },
    [Symbol.asyncIterator]: () => answers,
  };
  return answers;
};
