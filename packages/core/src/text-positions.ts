/** Line and column start at 1; columns are in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** The positions of offsets; the text is read on the first query. */
export const positionsIn = (text: string): ((offset: number) => TextPosition) => {
  let starts: readonly number[] | undefined;
  return (offset) => {
    starts ??= [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
};
