import { expect, test } from "vitest";
import { groupRows } from "./group-rows.ts";

const grouped = (lengths: readonly number[], maxWaste: number, maxBatchSize = 8): number[][] =>
  groupRows(
    lengths.map((length) => ({ length })),
    { maxWaste, maxBatchSize },
  ).map((group) => group.map(({ length }) => length));

test.each<[readonly number[], number, number[][]]>([
  [[], 0.25, []],
  [[7], 0, [[7]]],
  [
    [16, 64, 16, 64],
    0,
    [
      [64, 64],
      [16, 16],
    ],
  ],
  [[10, 9, 8, 5], 0.1, [[10, 9, 8], [5]]],
  [[100, 50, 50], 0.25, [[100, 50], [50]]],
  [[100, 1, 1, 1], 1, [[100, 1, 1, 1]]],
  [[0, 0], 0, [[0, 0]]],
])("%j with maximum waste %d: %j", (lengths, maxWaste, expected) => {
  expect(grouped(lengths, maxWaste)).toEqual(expected);
});

test("no group has more rows or more padding than allowed", () => {
  const lengths = Array.from({ length: 100 }, (_, i) => 1 + ((i * 37) % 64));
  for (const maxWaste of [0, 0.1, 0.25, 0.5, 1]) {
    const groups = grouped(lengths, maxWaste);
    expect(groups.flat().toSorted((a, b) => a - b)).toEqual(lengths.toSorted((a, b) => a - b));
    for (const group of groups) {
      expect(group.length).toBeLessThanOrEqual(8);
      const used = group.reduce((sum, length) => sum + length, 0);
      expect(1 - used / (group.length * Math.max(...group))).toBeLessThanOrEqual(maxWaste + 1e-12);
    }
  }
});
