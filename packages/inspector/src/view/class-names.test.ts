import { expect, test } from "vitest";
import type { TensorView } from "../api.ts";
import { classNamesOf, highestOf, nameOfClass } from "./class-names.ts";

const names = ["cat", "dog", "bird"];
const output = (name: string, labels?: readonly string[]): TensorView => ({
  name,
  dtype: "FP32",
  dims: [-1],
  ...(labels && { labels }),
});

test.each([
  ["scores, one for each class", "scores", "FP32", [2, 3], "column"],
  ["scores as integers", "scores", "UINT8", [1, 3], "column"],
  ["another number of scores", "scores", "FP32", [2, 4], undefined],
  ["class numbers", "scores", "INT64", [2, 1], "value"],
  ["texts", "scores", "BYTES", [2, 3], undefined],
  ["class numbers of another output", "predicted_label", "INT64", [2], "value"],
  ["class numbers as floats", "detection_classes", "FP32", [1, 100], "value"],
  ["other integers", "token_ids", "INT64", [2], undefined],
] as const)("%s", (_, name, dtype, shape, by) => {
  const found = classNamesOf({ name, dtype, shape }, [output("scores", names), output("other")]);
  expect(found).toEqual(by && { by, names });
});

test.each([
  ["as many class numbers as classes", "label", "INT64", [-1], [3], "value"],
  ["as many class numbers in a batch as classes", "label", "INT64", ["batch"], [3], "value"],
  ["top classes of each row", "classes", "INT32", ["batch", 3], [2, 3], "value"],
  ["other class numbers, one for each row", "best", "INT64", ["batch"], [3], "value"],
  ["a number for each row", "score", "FP32", ["batch"], [3], undefined],
  ["scores of one input", "score", "FP32", [3], [3], "column"],
  ["scores of a batch", "score", "FP32", ["batch", 3], [1, 3], "column"],
] as const)("%s", (_, name, dtype, dims, shape, by) => {
  const found = classNamesOf({ name, dtype, shape }, [{ name, dtype, dims, labels: names }]);
  expect(found).toEqual(by && { by, names });
});

test("with two label files, an output without one has no names", () => {
  const outputs = [output("colours", ["red", "blue"]), output("animals", names), output("label")];
  expect(classNamesOf({ name: "label", dtype: "INT64", shape: [1] }, outputs)).toBeUndefined();
});

test("a number that is not a class, or whose line is empty, has no name", () => {
  expect([1, 3, -1, 0.5, "NaN"].map((number) => nameOfClass(names, number))).toEqual([
    "dog",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(nameOfClass(["", "x"], 0)).toBeUndefined();
});

test("the highest scores, without NaN", () => {
  expect(highestOf([0.5, "NaN", 2, "Infinity", -1], 3)).toEqual([
    [3, Infinity],
    [2, 2],
    [0, 0.5],
  ]);
});
