import { expect, test } from "vitest";
import { type Nested, requestInputs } from "./request-inputs.ts";

const shapeOf = (datatype: string, shape: readonly number[], value: Nested): readonly number[] | undefined =>
  requestInputs("m", [{ name: "x", datatype, shape }], new Map([["x", value]])).get("x")?.shape;

test.each<[string, readonly number[], Nested, readonly number[]]>([
  ["BYTES", [-1, 1], "a", [1, 1]],
  ["BYTES", [-1, 1], ["a", "b"], [2, 1]],
  ["BYTES", [-1, 1], [["a"], ["b"]], [2, 1]],
  ["FP32", [-1, 4], [1, 2, 3, 4], [1, 4]],
  ["FP32", [-1, 2], [1, 2], [1, 2]],
  ["FP32", [-1, -1], [1, 2, 3], [1, 3]],
  ["FP32", [-1, -1], [[1], [2], [3]], [3, 1]],
  [
    "FP32",
    [-1, 1, 3],
    [
      [1, 2, 3],
      [4, 5, 6],
    ],
    [2, 1, 3],
  ],
  ["INT64", [1], 5, [1]],
  ["BOOL", [-1, 1], [true, false, true], [3, 1]],
  // A list without elements does not show the sizes inside it.
  ["FP32", [-1, 2], [], [0, 2]],
])("%s%j from %j has the shape %j", (datatype, shape, value, wanted) => {
  expect(shapeOf(datatype, shape, value)).toEqual(wanted);
});

test.each<[string, Nested, string]>([
  ["FP32", [[1, 2], [3]], "unequal lengths"],
  ["FP32", [1, "2"], '"2" is not a valid FP32'],
  ["INT8", 1.5, "1.5 is not a valid INT8"],
  ["BOOL", 1, "1 is not a valid BOOL"],
  ["BYTES", 1, "1 is not a valid BYTES"],
  ["FP32", [[[1]]], "got FP32[1, 1, 1]"],
  ["FP32", [1, 2, 3], "got FP32[3]"],
  ["FP32", [[]], "got FP32[1, 0]"],
  ["UINT8", [1, 256], "256 is not a valid UINT8"],
])("%s from %j is refused", (datatype, value, message) => {
  expect(() => shapeOf(datatype, [-1, 2], value)).toThrow(message);
});
