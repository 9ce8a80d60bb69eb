import { expect, test } from "vitest";
import { comparePairs, judge } from "./compare-pairs.ts";

/** Eight pairs of the same settings, which differ by up to a tenth. */
const start = comparePairs([1.1, 0.95, 1.02, 0.9, 1.05, 0.93, 1.08, 0.98]);

test("three pairs that agree by chance decide nothing if the pairs of the start differed by more", () => {
  const lucky = [1.05, 1.06, 1.05];
  expect(judge(comparePairs(lucky))).toBe("better");
  expect(judge(comparePairs(lucky, start))).toBe("undecided");
});

test("three pairs decide if they differ from 1 by much more than the pairs of the start", () => {
  const fast = [1.3, 1.45, 1.35];
  expect(judge(comparePairs(fast))).toBe("better");
  expect(judge(comparePairs([1.1, 1.6, 1.3]))).toBe("undecided");
  expect(judge(comparePairs([1.1, 1.6, 1.3], start))).toBe("better");
  expect(judge(comparePairs([0.8, 0.7, 0.9], start))).toBe("not better");
});

test("the interval is that of all pairs together: those of the start add degrees of freedom", () => {
  const ratios = [1.1, 0.95, 1.02, 0.9, 1.05, 0.93, 1.08, 0.98];
  const both = comparePairs(ratios, start);
  expect(both.ratio).toBeCloseTo(start.ratio, 10);
  // The same variance with 14 instead of 7 degrees of freedom.
  expect(Math.log(both.high / both.ratio) / Math.log(start.high / start.ratio)).toBeCloseTo(2.14 / 2.36, 10);
});

test("an interval of one pair or of equal pairs says nothing about the others", () => {
  const ratios = [1.1, 1.3];
  expect(comparePairs(ratios, comparePairs([1]))).toEqual(comparePairs(ratios));
  expect(comparePairs([1.1], start)).toMatchObject({ low: 0, high: Number.POSITIVE_INFINITY });
});
