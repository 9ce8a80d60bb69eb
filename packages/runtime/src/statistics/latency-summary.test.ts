import { expect, test } from "vitest";
import { createSummary } from "./latency-summary.ts";

test("quantiles cover the last minute; count and sum cover all time", () => {
  let now = 0;
  const asked = [0, 0.5, 0.99, 1];
  const summary = createSummary(() => now);
  const quantiles = (): readonly number[] => summary.read(asked).quantiles.map(([, value]) => value);
  expect(quantiles()).toEqual([NaN, NaN, NaN, NaN]);
  for (let i = 0; i <= 100; i++) summary.add(i);
  expect(quantiles()).toEqual([0, 50, 99, 100]);
  now = 30_000;
  summary.add(1_000_000);
  expect(quantiles().at(-1)).toBeGreaterThan(995_000);
  expect(quantiles().at(-1)).toBeLessThan(1_005_000);
  now = 65_000;
  const [first] = quantiles();
  expect(first).toBeGreaterThan(995_000);
  now = 95_000;
  expect(summary.read(asked)).toEqual({
    count: 102,
    sum: 1_005_050,
    quantiles: asked.map((quantile) => [quantile, NaN]),
  });
});
