/**
 * The shape that `actual` (which fits `from`) has after a reshape to `to`; both without the batch dim. Each -1 of `to` takes the
 * size of the -1 of `from` in the same place of their order.
 * Source: `reshape` in Triton's model configuration documentation.
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
