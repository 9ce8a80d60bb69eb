import { describe, expect, test } from "vitest";
import { pauseOf, quantilesOf, timeOf } from "./service-times.ts";

test("a few times are kept unchanged, and many are reduced to quantiles", () => {
  expect(quantilesOf([3, 1, 2])).toEqual([1, 2, 3]);
  const many = quantilesOf(Array.from({ length: 1001 }, (_, i) => 1000 - i));
  expect(many).toEqual(Array.from({ length: 201 }, (_, i) => i * 5));
});

describe("the time of an execution", () => {
  const measured = [
    { rows: 1, us: [100, 200] },
    { rows: 2, us: [150, 250] },
    { rows: 4, us: [250, 450] },
  ];
  test.each([
    ["a measured number of rows", 2, 0, 150],
    ["between two quantiles", 2, 0.5, 200],
    ["between two numbers of rows", 3, 0, 200],
    ["beyond the largest", 6, 1, 650],
  ])("%s", (_, rows, share, us) => {
    expect(timeOf(measured, rows, share)).toBeCloseTo(us, 9);
  });

  test("beyond a single measurement, it grows in proportion to the rows", () => {
    expect(timeOf([{ rows: 4, us: [100] }], 1, 0.3)).toBe(100);
    expect(timeOf([{ rows: 4, us: [100] }], 4, 0.3)).toBe(100);
    expect(timeOf([{ rows: 4, us: [100] }], 12, 0.3)).toBe(300);
  });
});

test("the pause of an execution is interpolated like its time; without one, it is 0", () => {
  const measured = [
    { rows: 1, us: [100], pause: 30 },
    { rows: 3, us: [300], pause: 50 },
  ];
  expect([1, 2, 5].map((rows) => pauseOf(measured, rows))).toEqual([30, 40, 70]);
  expect(pauseOf([{ rows: 1, us: [100] }], 1)).toBe(0);
});
