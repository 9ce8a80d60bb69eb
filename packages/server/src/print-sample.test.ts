import { expect, test } from "vitest";
import { printSample } from "./print-sample.ts";

test.each([
  [0, "0"],
  [-1, "-1"],
  [300_000, "300000"],
  [1e15, "1000000000000000"],
  [1e16, "1e+16"],
  [1e20, "1e+20"],
  [-1.5e300, "-1.5e+300"],
  [0.1, "0.1"],
  [-0.1 - 0.2, "-0.3"],
  [0.0001, "0.0001"],
  [0.000012, "1.2e-05"],
  [Number.POSITIVE_INFINITY, "+Inf"],
  [Number.NEGATIVE_INFINITY, "-Inf"],
  [Number.NaN, "Nan"],
])("%d is printed as %s", (value, text) => {
  expect(printSample(value)).toBe(text);
});
