/** Times of executions with this many rows: their quantiles from 0 to 1 in equal steps, in microseconds; not empty. */
export interface TimesAt {
  readonly rows: number;
  readonly us: readonly number[];
  /**
   * The part of each execution in which it does not use a processor, in microseconds; undefined if the model runs in the server's own process.
   * Default: 0.
   */
  readonly pause?: number | undefined;
}

/** The number of quantiles that `quantilesOf` keeps: every 0.5 %, because few long executions decide a server's p99. */
const kept = 201;

/** Measured times as quantiles. @param times Not empty, in any order. */
export const quantilesOf = (times: readonly number[]): readonly number[] => {
  const sorted = times.toSorted((a, b) => a - b);
  return times.length <= kept
    ? sorted
    : Array.from({ length: kept }, (_, i) => quantileAt(sorted, i / (kept - 1)));
};

/** The quantile at `share`, interpolated between two known ones. */
export const quantileAt = (quantiles: readonly number[], share: number): number => {
  const at = share * (quantiles.length - 1);
  const below = quantiles[Math.floor(at)] ?? 0;
  const above = quantiles[Math.ceil(at)] ?? below;
  return below + (above - below) * (at - Math.floor(at));
};

/**
 * The time of an execution with `rows` rows that is longer than this share of such executions. Between measured numbers
 * of rows it grows in proportion, and beyond the largest as it does between the last two; if only one number of rows
 * was measured, more rows take proportionally longer.
 * @param measured Ascending by rows; not empty.
 */
export const timeOf = (measured: readonly TimesAt[], rows: number, share: number): number =>
  interpolate(measured, rows, ({ us }) => quantileAt(us, share));

/** The part of an execution with `rows` rows in which it does not use a processor, in microseconds. */
export const pauseOf = (measured: readonly TimesAt[], rows: number): number =>
  interpolate(measured, rows, ({ pause = 0 }) => pause);

const interpolate = (
  measured: readonly TimesAt[],
  rows: number,
  valueOf: (one: TimesAt) => number,
): number => {
  const next = measured.findIndex((one) => one.rows >= rows);
  const at = next < 0 ? measured.length - 1 : next;
  const upper = measured[at] as TimesAt;
  const lower = measured[at - 1];
  const top = valueOf(upper);
  if (lower === undefined) return top * Math.max(1, rows / upper.rows);
  if (upper.rows === rows) return top;
  const perRow = (top - valueOf(lower)) / (upper.rows - lower.rows);
  return Math.max(0, top + (next < 0 ? Math.max(0, perRow) : perRow) * (rows - upper.rows));
};
