import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createErrorSketch, type Distribution } from "./error-sketch.ts";

const sketch = (values: readonly number[]): Distribution | undefined => {
  const made = createErrorSketch();
  for (const value of values) made.add(value);
  return made.distribution();
};

test("a list without values has no distribution", () => {
  expect(sketch([])).toBeUndefined();
});

test.each([
  ["zeros", [0, 0, -0], { count: 3, mean: 0, p50: 0, p999: 0, max: 0 }],
  ["one value", [0.25], { count: 1, mean: 0.25, max: 0.25 }],
  ["mostly zeros", [0, 0, 0, 1], { p50: 0, p90: 1, max: 1 }],
  ["the largest numbers", [Number.MAX_VALUE, Infinity], { mean: Number.MAX_VALUE, max: Number.MAX_VALUE }],
])("%s", (_, values, expected) => {
  expect(sketch(values)).toMatchObject(expected);
});

test("percentiles are within 0.4 % of the nearest rank, even for denormals within their precision", () => {
  const positive = fc.double({ min: 1e-300, max: 1e300, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.oneof(positive, fc.constant(0)), { minLength: 1, maxLength: 200 }), (values) => {
      const found = sketch(values);
      const sorted = values.toSorted((a, b) => a - b);
      for (const [name, share] of [
        ["p50", 0.5],
        ["p90", 0.9],
        ["p99", 0.99],
        ["p999", 0.999],
      ] as const) {
        const exact = sorted[Math.ceil(share * values.length) - 1] ?? Number.NaN;
        expect(Math.abs((found?.[name] ?? Number.NaN) - exact)).toBeLessThanOrEqual(0.004 * exact);
      }
      expect(found?.max).toBe(sorted.at(-1));
    }),
  );
});

test("every value is in exactly one bar, within its bounds, and bars are in order", () => {
  const values = [0, 1e-9, 1.05e-9, 3e-5, 0.1, 0.2, 5, 1e308, 5e-324];
  const bars = sketch(values)?.bars ?? [];
  expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
  expect(bars[0]).toEqual({ from: 0, to: 0, count: 1 });
  expect(bars.map(({ from }) => from)).toEqual(bars.map(({ from }) => from).toSorted((a, b) => a - b));
  expect(bars.every(({ from, to }) => Number.isFinite(from) && Number.isFinite(to))).toBe(true);
});
