/** Median, extremes and 99th percentile of samples. */
export const summarize = (samples) => {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { n: sorted.length, median, min: sorted[0], max: sorted.at(-1), p99: at(0.99) };
};

/**
 * Times variants in turn, A B C A B C …, so that other load on the machine affects all of them equally.
 * @param variants Name → the function to time; if it returns a number, that is the sample instead of the milliseconds
 * it took.
 * @param block Calls of one variant before the next one's turn; the samples are single calls.
 * @returns Name → summary, in milliseconds.
 */
export const inTurn = async (variants, { runs, warmup = 1, block = 1 }) => {
  const samples = new Map(Object.keys(variants).map((name) => [name, []]));
  for (let round = -warmup; round < runs; round++)
    for (const [name, call] of Object.entries(variants))
      for (let i = 0; i < block; i++) {
        const start = performance.now();
        const own = await call();
        const took = typeof own === "number" ? own : performance.now() - start;
        if (round >= 0) samples.get(name).push(took);
      }
  return new Map([...samples].map(([name, all]) => [name, summarize(all)]));
};

/** Rows of a table: each variant with its ratio to the baseline's median and its additional time. */
export const rowsOf = (summaries, baseline) => {
  const base = summaries.get(baseline)?.median;
  return [...summaries].map(([name, summary]) => ({
    name,
    ...summary,
    ...(base === undefined || name === baseline
      ? {}
      : { ratio: summary.median / base, over: summary.median - base }),
  }));
};
