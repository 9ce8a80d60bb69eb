import { percentile } from "@tritype/core";

/** Times of successful responses, in ms. */
export interface Latency {
  readonly count: number;
  readonly mean: number;
  readonly min: number;
  readonly p50: number;
  readonly p90: number;
  /** Undefined below 100 responses. */
  readonly p99?: number | undefined;
  /** Undefined below 1,000 responses. */
  readonly p999?: number | undefined;
  readonly max: number;
  /**
   * The distribution, ascending: the number of responses that took at most `upTo` and more than the previous bound.
   * Bounds grow by 2^(1/8), about 9 %.
   */
  readonly histogram: readonly { readonly upTo: number; readonly count: number }[];
}

/** Undefined without samples. A percentile is omitted if there are too few samples for it. */
export const summarizeLatency = (sorted: Float64Array): Latency | undefined => {
  const count = sorted.length;
  if (count === 0) return undefined;
  return {
    count,
    mean: sorted.reduce((sum, sample) => sum + sample, 0) / count,
    min: sorted[0] ?? Number.NaN,
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    ...(count >= 100 ? { p99: percentile(sorted, 0.99) } : {}),
    ...(count >= 1000 ? { p999: percentile(sorted, 0.999) } : {}),
    max: sorted[count - 1] ?? Number.NaN,
    histogram: histogramOf(sorted),
  };
};

const histogramOf = (sorted: Float64Array): Latency["histogram"] => {
  const bins: { upTo: number; count: number }[] = [];
  for (const sample of sorted) {
    const last = bins.at(-1);
    if (last !== undefined && sample <= last.upTo) last.count++;
    else bins.push({ upTo: 2 ** (Math.ceil(Math.log2(Math.max(sample, 0.001)) * 8) / 8), count: 1 });
  }
  return bins;
};
