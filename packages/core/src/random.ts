/** Uniformly distributed numbers from 0 up to, but not including, 1; the same seed gives the same sequence (mulberry32). */
export const random = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Times between the arrivals of a Poisson process, in seconds. @param rate Arrivals per second */
export const poissonGaps = (rate: number, seed: number): (() => number) => {
  const next = random(seed);
  return () => -Math.log(1 - next()) / rate;
};
