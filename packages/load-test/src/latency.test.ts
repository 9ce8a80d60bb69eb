import { expect, test } from "vitest";
import { percentile } from "@tritype/core";
import { summarizeLatency } from "./latency.ts";

const upTo = (count: number): Float64Array => Float64Array.from({ length: count }, (_, index) => index + 1);

test("a percentile is one of the samples", () => {
  expect([0.5, 0.9, 0.99, 0.999, 1].map((share) => percentile(upTo(1000), share))).toEqual([
    500, 900, 990, 999, 1000,
  ]);
  expect([0, 0.5, 0.51, 1].map((share) => percentile(upTo(2), share))).toEqual([1, 1, 2, 2]);
});

test("a high percentile is left out if there are few samples", () => {
  expect(summarizeLatency(new Float64Array())).toBeUndefined();
  expect(summarizeLatency(upTo(99))).toMatchObject({ count: 99, mean: 50, p90: 90 });
  expect(summarizeLatency(upTo(99))).not.toHaveProperty("p99");
  expect(summarizeLatency(upTo(100))).toMatchObject({ p99: 99 });
  expect(summarizeLatency(upTo(999))).not.toHaveProperty("p999");
  expect(summarizeLatency(upTo(1000))).toMatchObject({ p999: 999, max: 1000 });
});

test("the histogram contains every sample once, with a bound at most 9 % above it", () => {
  const histogram = summarizeLatency(Float64Array.of(0, 1, 1, 1.05, 2, 100))?.histogram ?? [];
  expect(histogram.map(({ count }) => count)).toEqual([1, 2, 1, 1, 1]);
  expect(histogram[1]?.upTo).toBe(1);
  expect(histogram.at(-1)?.upTo).toBeLessThan(100 * 1.091);
});
