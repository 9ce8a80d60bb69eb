/** The values that are there: `present(first, isLong && second)`. */
export const present = <T>(...values: readonly (T | false | undefined)[]): readonly T[] =>
  values.filter((value): value is T => value !== false && value !== undefined);
