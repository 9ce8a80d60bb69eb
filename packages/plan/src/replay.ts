import type { Pace } from "./system.ts";

/** Microseconds. A slow processor stays slow for less time than that (decision 68). */
const stretch = 500_000;

/**
 * How slow executions are that start at a time, from 0 to 1. The recorded pace is repeated again and again. A simulation that is shorter than the record
 * gets evenly spaced stretches of it: its result would otherwise depend on whether it begins in a slow part.
 * @param pace Not empty.
 * @param from Where in the record to start, from 0 to 1.
 * @param span How long the simulation takes, in microseconds. Default: as long as the record.
 * @returns The share at a time in microseconds; times may not decrease.
 */
export const replay = (
  pace: readonly Pace[],
  from: number,
  span: number = Number.POSITIVE_INFINITY,
): ((now: number) => number) => {
  let total = 0;
  const parts = pace.map(({ us, shares }) => {
    const start = total;
    total += us * shares.length;
    return { start, us, shares };
  });
  const distance = Math.max(stretch, total / Math.max(1, Math.round(span / stretch)));
  let at = 0;
  return (now) => {
    const inRecord = Math.floor(now / stretch) * distance + (now % stretch);
    const time = (inRecord + from * total) % total;
    if (time < (parts[at]?.start ?? 0)) at = 0;
    while (time >= (parts[at + 1]?.start ?? total)) at++;
    const { start, us, shares } = parts[at] as (typeof parts)[number];
    return shares[Math.floor((time - start) / us)] ?? shares.at(-1) ?? 0;
  };
};
