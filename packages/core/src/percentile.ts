/**
 * The smallest sample that at least `share` of all samples do not exceed (nearest rank).
 * @param sorted At least one sample, in ascending order.
 */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
