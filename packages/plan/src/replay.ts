import type { Pace } from "./system.ts";

/**
 * How slow executions are that start at a time, from 0 to 1. The recorded pace is repeated again and again.
 * @param pace Not empty.
 * @param from Where in the record to start, from 0 to 1.
 * @returns The share at a time in microseconds; times may not decrease.
 */
export const replay = (pace: readonly Pace[], from: number): ((now: number) => number) => {
  let total = 0;
  const parts = pace.map(({ us, shares }) => {
    const start = total;
    total += us * shares.length;
    return { start, us, shares };
  });
  let at = 0;
  return (now) => {
    const time = (now + from * total) % total;
    if (time < (parts[at]?.start ?? 0)) at = 0;
    while (time >= (parts[at + 1]?.start ?? total)) at++;
    const { start, us, shares } = parts[at] as (typeof parts)[number];
    return shares[Math.floor((time - start) / us)] ?? shares.at(-1) ?? 0;
  };
};
