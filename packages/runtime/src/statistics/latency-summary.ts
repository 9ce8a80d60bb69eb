/** A Prometheus summary: the quantiles of recent durations, and the count and sum of all. */
export interface LatencySummary {
  readonly count: number;
  /** Microseconds. */
  readonly sum: number;
  /** In microseconds; NaN if there was no duration in the last minute. */
  readonly quantiles: readonly (readonly [quantile: number, value: number])[];
}

export interface SummaryRecorder {
  /** Whole microseconds. */
  add(microseconds: number): void;
  read(quantiles: readonly number[]): LatencySummary;
}

/** Neighbouring buckets differ by 1 %, so a value is off by at most half of that. */
const growth = 1.01;
const slotMs = 12_000;
const slotCount = 5;

/**
 * Counts durations in buckets of 1 %, in slots of 12 s; the quantiles are those of the last five slots, as in Triton.
 * @param today The current time in milliseconds.
 */
export const createSummary = (today: () => number): SummaryRecorder => {
  let slots: { readonly slot: number; readonly counts: Map<number, number> }[] = [];
  let count = 0;
  let sum = 0;
  const recent = (): typeof slots => {
    const slot = Math.floor(today() / slotMs);
    slots = slots.filter((one) => one.slot > slot - slotCount);
    return slots;
  };
  const countsNow = (): Map<number, number> => {
    const slot = Math.floor(today() / slotMs);
    const last = slots.at(-1);
    if (last?.slot === slot) return last.counts;
    const counts = new Map<number, number>();
    slots = [...recent(), { slot, counts }];
    return counts;
  };
  return {
    add: (microseconds) => {
      count++;
      sum += microseconds;
      const counts = countsNow();
      const bucket = Math.ceil(Math.log(microseconds) / Math.log(growth));
      counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
    },
    read: (quantiles) => {
      const buckets = recent()
        .flatMap(({ counts }) => [...counts])
        .toSorted(([a], [b]) => (a < b ? -1 : 1));
      return { count, sum, quantiles: quantiles.map((quantile) => [quantile, valueAt(quantile, buckets)]) };
    },
  };
};

/** @param buckets Ascending. */
const valueAt = (quantile: number, buckets: readonly (readonly [number, number])[]): number => {
  const rank = Math.ceil(quantile * buckets.reduce((sum, [, count]) => sum + count, 0));
  let seen = 0;
  for (const [bucket, count] of buckets) {
    seen += count;
    if (seen >= rank) return Math.round((2 * growth ** bucket) / (growth + 1));
  }
  return Number.NaN;
};
