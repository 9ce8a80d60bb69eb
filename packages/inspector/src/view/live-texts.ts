import type { Live } from "../api.ts";

/** Five seconds, and half of the time between two readings. */
const longestMs = 5500;

export interface Reading extends Live {
  /** How often the page had been hidden or shown before. The page takes no readings while it is hidden. Default: 0. */
  readonly period?: number;
}

/** The readings of the last five seconds since the page was last hidden. */
export const recentReadings = (readings: readonly Reading[]): readonly Reading[] => {
  const last = readings.at(-1);
  return readings.filter(
    ({ at, period = 0 }) => (last?.at ?? 0) - at <= longestMs && period === (last?.period ?? 0),
  );
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
