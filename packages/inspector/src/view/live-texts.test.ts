import { expect, test } from "vitest";
import { columnTexts, recentReadings } from "./live-texts.ts";

const looks = (...times: readonly number[]) => times.map((at) => ({ at, facts: [], models: [] }));
const times = (...all: readonly number[]) => recentReadings(looks(...all)).map(({ at }) => at);

test("figures are averaged over the last five seconds, and never over the time in which the page was hidden", () => {
  expect(times(0, 1000, 2000, 3000, 4000, 5000, 6000)).toEqual([1000, 2000, 3000, 4000, 5000, 6000]);
  expect(times(0, 1000, 60_000, 61_000)).toEqual([60_000, 61_000]);
  expect(times(0, 1000, 9000)).toEqual([9000]);
  expect(times(0, 1100, 2200, 3300, 4400, 5500, 6600)).toEqual([1100, 2200, 3300, 4400, 5500, 6600]);
  expect(times()).toEqual([]);
  const hidden = looks(0, 1000, 3500, 4500).map((one, index) => ({ ...one, period: index < 2 ? 0 : 2 }));
  expect(recentReadings(hidden).map(({ at }) => at)).toEqual([3500, 4500]);
});

test("every column has a text about the time that it covers", () => {
  expect(columnTexts({ percentiles: true, caches: true, waiting: true })).toEqual([
    "Requests/s, Mean, Queue, Compute and Rows/batch: requests that succeeded in the last five seconds",
    "p50, p90 and p99: the last minute, recorded since Live was first opened",
    "Waiting: now",
    "Failed, From cache and Succeeded: since the model was loaded",
  ]);
  expect(columnTexts({ percentiles: false, caches: false, waiting: false })).toEqual([
    "Requests/s, Mean latency, Queue, Compute and Rows/batch: requests that succeeded in the last five seconds",
    "Failed and Succeeded: since the model was loaded",
  ]);
});
