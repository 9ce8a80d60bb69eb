import type { Bar } from "@tritype/drift";
import { expect, test } from "vitest";
import { withoutTails } from "./without-tails.ts";

const bar = (power: number, count: number): Bar => ({ from: 10 ** power, to: 10 ** (power + 1), count });
const bulk = [bar(-5, 400), bar(-4, 900), bar(-3, 300)];

test.each([
  ["a few far below", [bar(-30, 3), bar(-20, 2), ...bulk], { shown: bulk, below: 5, above: 0 }],
  ["a few far above", [...bulk, bar(12, 4), bar(25, 1)], { shown: bulk, below: 0, above: 5 }],
  ["on both sides", [bar(-30, 3), ...bulk, bar(25, 4)], { shown: bulk, below: 3, above: 4 }],
  ["nearby: all are shown", [bar(-9, 1), ...bulk], { shown: [bar(-9, 1), ...bulk], below: 0, above: 0 }],
  ["no bars", [], { shown: [], below: 0, above: 0 }],
] as const)("%s", (_, bars, wanted) => {
  expect(withoutTails(bars)).toEqual(wanted);
});

test("at most one value in a hundred is left out", () => {
  const bars = [bar(-30, 100), ...bulk];
  expect(withoutTails(bars)).toEqual({ shown: bars, below: 0, above: 0 });
});
