import { expect, test } from "vitest";
import type { BoxForm, FoundBox } from "./boxes.ts";
import { type PlacedBoxes, placeBoxes } from "./place-boxes.ts";

const size = { width: 200, height: 100 };
const placed = (
  found: readonly FoundBox[],
  {
    form = "xyxy",
    areFractions = false,
    least = 0,
  }: { form?: BoxForm; areFractions?: boolean; least?: number } = {},
): PlacedBoxes => placeBoxes(found, { form, areFractions, least, ...size });

test.each([
  ["xyxy", [20, 10, 120, 60], false],
  ["yxyx", [10, 20, 60, 120], false],
  ["xywh", [20, 10, 100, 50], false],
  ["cxcywh", [70, 35, 100, 50], false],
  ["xyxy", [0.1, 0.1, 0.6, 0.6], true],
  ["cxcywh", [0.35, 0.35, 0.5, 0.5], true],
] as const)("%s %j", (form, numbers, areFractions) => {
  const [box] = placed([{ numbers, label: "cat", score: 0.5 }], { form, areFractions }).boxes;
  expect(box?.corners.map((one) => Math.round(one))).toEqual([20, 10, 120, 60]);
  expect(box).toMatchObject({ label: "cat", score: 0.5 });
  expect([box?.left, box?.top, box?.width, box?.height].map((one) => one?.toFixed(3))).toEqual([
    "0.100",
    "0.100",
    "0.500",
    "0.500",
  ]);
});

test("only the part within the picture is drawn; its corners stay as they are", () => {
  expect(placed([{ numbers: [-50, -1e30, 100, 1e30] }]).boxes).toEqual([
    {
      left: 0,
      top: 0,
      width: 0.5,
      height: 1,
      corners: [-50, -1e30, 100, 1e30],
      label: undefined,
      score: undefined,
    },
  ]);
});

test("boxes that cannot be drawn are counted, with the reason", () => {
  const numbers = [
    [NaN, 0, 1, 1],
    [0, 0, Infinity, 1],
    [0, 0, 0, 0],
    [5, 5, 1, 1],
    [-9, -9, -1, -1],
    [200, 0, 300, 50],
    [0, 0],
  ];
  expect(placed(numbers.map((one) => ({ numbers: one })))).toEqual({
    boxes: [],
    left: [
      ["without finite coordinates", 3],
      ["without an area", 2],
      ["outside the picture", 2],
    ],
  });
});

test("the highest scores come first, and low ones are left out; a score that is not a number counts as none", () => {
  const numbers = [0, 0, 10, 10];
  const scores = [0.2, 0.9, NaN, 0.5, Infinity];
  const { boxes, left } = placed(
    scores.map((score) => ({ numbers, score })),
    { least: 0.3 },
  );
  expect(boxes.map(({ score }) => score)).toEqual([Infinity, 0.9, 0.5, undefined]);
  expect(left).toEqual([["with a score below 0.3", 1]]);
});

test("of 10,000 boxes, the 100 with the highest scores are drawn", () => {
  const found = Array.from({ length: 10_000 }, (_, i) => ({ numbers: [0, 0, 1, 1], score: i / 10_000 }));
  const { boxes, left } = placed(found);
  expect([boxes.length, boxes[0]?.score, boxes[99]?.score]).toEqual([100, 0.9999, 0.99]);
  expect(left).toEqual([["after the first 100", 9900]]);
});
