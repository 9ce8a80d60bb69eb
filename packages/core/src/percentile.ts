/**
 * The smallest sample such that at least `share` of all samples are not larger (nearest rank).
 * @param sorted At least one, ascending.
 */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
