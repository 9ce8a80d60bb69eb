/**
 * The shape of `actual` (which matches `from`) after a reshape to `to`; both without the batch dim. The n-th -1 of `to`
 * gets the size of the n-th -1 of `from`. Source: `reshape` in Triton's model configuration documentation.
 */
export const reshapeDims = (
  from: readonly number[],
  to: readonly number[],
  actual: readonly number[],
): readonly number[] => {
  const variable = actual.filter((_, i) => from[i] === -1);
  let next = 0;
  return to.map((dim) => (dim === -1 ? (variable[next++] ?? -1) : dim));
};
