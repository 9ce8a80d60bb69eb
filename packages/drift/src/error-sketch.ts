/**
 * The statistics of a sketch. The maximum, mean and count are exact; percentiles are accurate to 0.4 %. All values are
 * finite.
 */
export interface Distribution {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
  /**
   * Values by size, for plots: about eight bars per power of ten, and one for 0. Ascending; empty bars are left
   * out.
   */
  readonly bars: readonly Bar[];
}
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** A distribution of errors in constant memory. */
export interface ErrorSketch {
  /** @param value At least 0; Infinity counts as the largest finite number. */
  add(value: number): void;
  /** undefined if nothing was added. */
  distribution(): Distribution | undefined;
}

/** Exponent and the seven leading bits of the fraction: buckets 0.8 % wide, for every finite number. */
const bucketBits = 7;
const float = new Float64Array(1);
const words = new Uint32Array(float.buffer);
/** The bytes that contain the sign and the exponent; the machine is little-endian, like all of KServe's tensors. */
const high = 1;

const bucketOf = (value: number): number => {
  float[0] = value;
  return (words[high] ?? 0) >>> (20 - bucketBits);
};
const startOf = (bucket: number): number => {
  words[0] = 0;
  words[high] = bucket << (20 - bucketBits);
  return float[0] ?? 0;
};

export const createErrorSketch = (): ErrorSketch => {
  const counts = new Map<number, number>();
  let count = 0;
  let zeros = 0;
  let mean = 0;
  let max = 0;
  const at = (rank: number): number => {
    let seen = zeros;
    if (rank <= seen) return 0;
    for (const [bucket, inBucket] of ascending(counts)) {
      seen += inBucket;
      if (rank <= seen) return Math.min(max, startOf(bucket) + (startOf(bucket + 1) - startOf(bucket)) / 2);
    }
    return max;
  };
  return {
    add: (given) => {
      const value = Math.min(given, Number.MAX_VALUE);
      count++;
      // The incremental form does not overflow even if the sum would.
      mean += (value - mean) / count;
      if (value > max) max = value;
      if (value === 0) zeros++;
      else {
        const bucket = bucketOf(value);
        counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      }
    },
    distribution: () => {
      if (count === 0) return undefined;
      const percentile = (share: number): number => at(Math.max(1, Math.ceil(share * count)));
      return {
        count,
        mean,
        p50: percentile(0.5),
        p90: percentile(0.9),
        p99: percentile(0.99),
        p999: percentile(0.999),
        max,
        bars: [...(zeros > 0 ? [{ from: 0, to: 0, count: zeros }] : []), ...barsOf(counts)],
      };
    },
  };
};

const ascending = (counts: ReadonlyMap<number, number>): readonly (readonly [number, number])[] =>
  [...counts].toSorted(([a], [b]) => a - b);

const perDecade = 8;

const barsOf = (counts: ReadonlyMap<number, number>): readonly Bar[] => {
  const bars = new Map<number, number>();
  for (const [bucket, count] of ascending(counts)) {
    const step = Math.floor(Math.log10(Math.max(startOf(bucket), Number.MIN_VALUE)) * perDecade);
    bars.set(step, (bars.get(step) ?? 0) + count);
  }
  return [...bars].map(([step, count]) => ({
    from: 10 ** (step / perDecade),
    to: Math.min(10 ** ((step + 1) / perDecade), Number.MAX_VALUE),
    count,
  }));
};
