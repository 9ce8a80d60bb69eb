import { expect, test } from "vitest";
import type { Content, Element, TensorView } from "../api.ts";
import { type FoundBoxes, findBoxes } from "./find-boxes.ts";

const tensor = (
  name: string,
  dtype: string,
  shape: readonly number[],
  elements: readonly Element[],
): Content => ({
  name,
  dtype,
  shape,
  bytes: 0,
  elements,
});
const batched = (name: string): TensorView => ({ name, dtype: "FP32", dims: ["batch", -1, 4] });
const found = (outputs: readonly Content[], types: readonly TensorView[] = []): FoundBoxes => {
  const [first, ...others] = findBoxes(outputs, types);
  if (first === undefined || others.length > 0) throw new Error("expected boxes in one output");
  return first;
};
const texts = (...values: readonly unknown[]): Content =>
  tensor(
    "detections",
    "BYTES",
    [values.length, 1],
    values.map((value) => JSON.stringify(value)),
  );

test("boxes get the scores and labels of the outputs with one value for each box", () => {
  const outputs = [
    tensor("boxes", "FP32", [2, 4], [10, 20, 30, 40, 1, 2, 3, 4]),
    tensor("scores", "FP32", [2], [0.9, "NaN"]),
    tensor("labels", "BYTES", [2], ["cat", "dog"]),
    tensor("other_scores", "FP32", [3], [0, 0, 0]),
  ];
  expect(found(outputs)).toEqual({
    name: "boxes",
    rows: [
      [
        { numbers: [10, 20, 30, 40], label: "cat", score: 0.9 },
        { numbers: [1, 2, 3, 4], label: "dog", score: NaN },
      ],
    ],
    form: undefined,
    guess: "xyxy",
    areFractions: false,
    left: 0,
  });
});

test("a batch has boxes for each picture, as many as its count says", () => {
  const elements = Array.from({ length: 24 }, (_, i) => (i % 4 < 2 ? 0.1 : 0.5));
  const outputs = [
    tensor("detection_boxes", "FP32", [2, 3, 4], elements),
    tensor("detection_classes", "FP32", [2, 3], [1, 2, 3, 4, 5, 6]),
    tensor("num_detections", "FP32", [2], [2, "NaN"]),
  ];
  const { rows, guess, areFractions } = found(outputs);
  expect(rows.map((row) => row.map(({ label }) => label))).toEqual([
    ["1", "2"],
    ["4", "5", "6"],
  ]);
  expect([guess, areFractions]).toEqual(["yxyx", true]);
});

test("one box for each row of a batch, or several boxes of one picture, as the contract says", () => {
  const boxes = tensor("box", "INT32", [2, 4], [0, 0, 10, 10, 5, 5, 20, 20]);
  expect(found([boxes]).rows.map(({ length }) => length)).toEqual([2]);
  expect(found([boxes], [batched("box")]).rows.map(({ length }) => length)).toEqual([1, 1]);
});

test.each([
  ["boxes_xywh", [1, 2, 30, 40], "xywh", "xywh"],
  ["boxes_cxcywh", [100, 100, 20, 20], "cxcywh", "cxcywh"],
  ["bbox", [100, 100, 20, 20], undefined, "xywh"],
  ["pred_boxes", [0.5, 0.5, 0.2, 0.2], undefined, "cxcywh"],
  ["rects", ["Infinity", 0, 0, 0], undefined, "xyxy"],
] as const)("%s %j", (name, elements, form, guess) => {
  expect(found([tensor(name, "FP32", [1, 4], elements)])).toMatchObject({ form, guess });
});

test("a few wrong boxes do not change the guess", () => {
  const boxes = Array.from({ length: 10 }, () => [0.1, 0.1, 0.5, 0.5]);
  const wrong = [-900, 2, 0.1, 0.1];
  expect(found([tensor("boxes", "FP32", [11, 4], [...wrong, ...boxes.flat()])])).toMatchObject({
    guess: "xyxy",
    areFractions: true,
  });
});

test.each([
  ["another name", [tensor("tokens", "FP32", [2, 4], [0, 0, 1, 1, 0, 0, 1, 1])]],
  ["a name that only contains another word", [tensor("correct", "FP32", [1, 4], [0, 0, 1, 1])]],
  ["another size", [tensor("boxes", "FP32", [2, 3], [0, 0, 1, 1, 0, 0])]],
  ["a text", [tensor("boxes", "BYTES", [1], ["[1, 2, 3, 4]"])]],
  ["other JSON", [texts([{ label: "a", score: 1 }])]],
  ["JSON in which only some objects have a box", [texts([{ box: [0, 0, 1, 1] }, { label: "a" }])]],
  ["a broken text", [tensor("x", "BYTES", [1], ['[{"box": [0, 0,'])]],
] as const)("%s: no boxes", (_, outputs) => {
  expect(findBoxes(outputs, [])).toEqual([]);
});

test.each([
  ["a list", [{ box: [1, 2, 30, 40], label: "cat", score: 0.5 }], undefined],
  [
    "an object with a list",
    { detections: [{ bbox: [1, 2, 30, 40], class: "cat", confidence: 0.5 }] },
    undefined,
  ],
  ["named corners", [{ box: { xmin: 1, ymin: 2, xmax: 30, ymax: 40 }, label: "cat", score: 0.5 }], "xyxy"],
  ["named sides", { x: 1, y: 2, width: 30, height: 40, name: "cat", probability: 0.5 }, "xywh"],
  ["columns", { boxes: [[1, 2, 30, 40]], scores: [0.5], labels: ["cat"] }, undefined],
] as const)("JSON: %s", (_, value, form) => {
  expect(found([texts(value)])).toMatchObject({
    rows: [[{ numbers: [1, 2, 30, 40], label: "cat", score: 0.5 }]],
    form,
  });
});

test("a row of JSON without boxes is an empty picture", () => {
  expect(found([texts([{ box: [0, null, 1, 1] }], [])]).rows).toEqual([[{ numbers: [0, NaN, 1, 1] }], []]);
});

test("10,000 boxes: those that the page got, and the number of the others", () => {
  const elements = Array.from({ length: 4096 }, (_, i) => i % 4);
  const { rows, left } = found([
    tensor("boxes", "FP32", [1, 10_000, 4], elements),
    tensor("scores", "FP32", [1, 10_000], elements),
  ]);
  expect([rows[0]?.length, left]).toEqual([1024, 8976]);
  expect(found([tensor("boxes", "FP32", [1, 2 ** 40, 4], elements)]).rows[0]).toHaveLength(1024);
  expect(found([tensor("boxes", "FP32", [2 ** 40, 0, 4], [])]).rows).toHaveLength(4096);
  const many = Array.from({ length: 10_000 }, () => ({ box: [0, 0, 1, 1] }));
  expect(found([texts(many)]).rows[0]).toHaveLength(4096);
});

const rows = (...all: readonly (readonly number[])[]): readonly number[] => all.flat();
const detections = rows(
  [10, 20, 30, 40, 0.9, 2],
  [1, 2, 3, 4, 0.5, 0],
  [5, 5, 9, 9, 0.25, 7],
  [0, 0, 0, 0, 0, -1],
);
const padded = (count: number): readonly number[] =>
  Array.from({ length: count * 6 }, (_, at) => detections[at] ?? 0);

test.each([
  ["detections", [4, 6], detections],
  ["dets", [1, 4, 6], detections],
  ["output0", [1, 300, 6], padded(300)],
] as const)("boxes with their scores and classes in one output: %s", (name, shape, elements) => {
  const labels = ["cat", "dog", "bird"];
  const named = { name, dtype: "FP32", dims: [], labels };
  const {
    rows: found,
    guess,
    areFractions,
  } = findBoxes([tensor(name, "FP32", shape, elements)], [named])[0] ?? {};
  expect(found?.[0]?.slice(0, 3)).toEqual([
    { numbers: [10, 20, 30, 40], label: "bird", score: 0.9 },
    { numbers: [1, 2, 3, 4], label: "cat", score: 0.5 },
    { numbers: [5, 5, 9, 9], label: "7", score: 0.25 },
  ]);
  expect([found?.[0]?.length, guess, areFractions]).toEqual([shape.at(-2), "xyxy", false]);
});

test.each([
  ["another name", "features", [4, 6], detections],
  ["a general name, and few rows", "output0", [1, 4, 6], detections],
  ["scores of six classes", "detections", [1, 6], [0.1, 0.1, 0.2, 0.2, 0.3, 0.1]],
  ["a class that is not whole", "detections", [1, 6], [1, 2, 3, 4, 0.9, 2.5]],
  ["a score above 1", "detections", [1, 6], [1, 2, 3, 4, 5, 6]],
  ["corners in another order", "detections", [1, 6], [3, 4, 1, 2, 0.9, 1]],
  ["only padding", "detections", [2, 6], Array.from({ length: 12 }, () => 0)],
  ["other columns", "detections", [1, 7], [0, 1, 2, 3, 4, 0.9, 1]],
] as const)("boxes, scores and classes are not recognized: %s", (_, name, shape, elements) => {
  expect(findBoxes([tensor(name, "FP32", shape, elements)], [])).toEqual([]);
});

test("boxes in one output may have another order if its name says so", () => {
  const elements = [30, 40, 10, 10, 0.9, 1];
  expect(found([tensor("boxes_xywh", "FP32", [1, 6], elements)])).toMatchObject({
    rows: [[{ numbers: [30, 40, 10, 10], label: "1", score: 0.9 }]],
    form: "xywh",
  });
});

test("class numbers next to boxes have the names of the label file", () => {
  const outputs = [
    tensor("boxes", "FP32", [2, 4], [10, 20, 30, 40, 1, 2, 3, 4]),
    tensor("labels", "INT64", [2], [1, 5]),
  ];
  const types = [{ name: "labels", dtype: "INT64", dims: [-1], labels: ["cat", "dog"] }];
  expect(found(outputs, types).rows[0]?.map(({ label }) => label)).toEqual(["dog", "5"]);
});
