import type { Live } from "../api.ts";

/** Number of readings over which figures are averaged: one each second. */
const averaged = 6;
/** Older readings are from before the page was hidden. */
const longestMs = 10_000;

/** The readings of the last five seconds. */
export const recentLooks = (looks: readonly Live[]): readonly Live[] => {
  const now = looks.at(-1)?.at ?? 0;
  return looks.slice(-averaged).filter(({ at }) => now - at <= longestMs);
};

/** The columns that only some servers have. */
export interface LiveColumns {
  readonly percentiles: boolean;
  readonly caches: boolean;
  readonly waiting: boolean;
}

/** The time that each column of the table covers. */
export const columnTexts = ({ percentiles, caches, waiting }: LiveColumns): readonly string[] => [
  `Requests/s, ${percentiles ? "Mean" : "Mean latency"}, Queue, Compute and Rows/batch: requests that succeeded in the last five seconds`,
  ...(percentiles ? ["p50, p90 and p99: the last minute, recorded since Live was first opened"] : []),
  ...(waiting ? ["Waiting: now"] : []),
  `Failed${caches ? ", From cache" : ""} and Succeeded: since the model was loaded`,
];
