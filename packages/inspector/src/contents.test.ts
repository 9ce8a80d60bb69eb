import { tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { contentOf, mostElements } from "./contents.ts";

test("statistics leave out values that are not finite, and count them", () => {
  const { elements, figures } = contentOf(
    "x",
    tensorOf("FP32", [5], [1, Number.NaN, 3, Number.NEGATIVE_INFINITY, 0]),
  );
  expect(elements).toEqual([1, "NaN", 3, "-Infinity", 0]);
  expect(figures).toMatchObject({ counted: 5, min: 0, max: 3, zeros: 1, nan: 1, infinite: 1 });
  expect(figures?.mean).toBeCloseTo(4 / 3);
  expect(figures?.histogram.reduce((sum, count) => sum + count, 0)).toBe(3);
});

test("the size of texts does not include the lengths between them", () => {
  expect(contentOf("x", tensorOf("BYTES", [2], ["hello", "é"])).bytes).toBe(7);
  expect(contentOf("x", tensorOf("FP32", [2], [1, 2])).bytes).toBe(8);
});

test("a tensor without finite elements has no histogram", () => {
  expect(contentOf("x", tensorOf("FP64", [1], [Number.NaN])).figures).toMatchObject({
    nan: 1,
    min: 0,
    histogram: [],
  });
});

test("half precision is widened, and large integers stay exact", () => {
  expect(contentOf("x", tensorOf("FP16", [2], [0.5, -2])).elements).toEqual([0.5, -2]);
  expect(contentOf("x", tensorOf("BF16", [1], [1.5])).elements).toEqual([1.5]);
  expect(contentOf("x", tensorOf("INT64", [2], [2n ** 62n, 7n])).elements).toEqual([String(2n ** 62n), 7]);
  expect(contentOf("x", tensorOf("BOOL", [2], [true, false])).elements).toEqual([true, false]);
});

test("a long tensor is truncated, and its statistics cover all elements", () => {
  const data = new Float32Array(100_000).fill(2);
  const content = contentOf("x", { dtype: "FP32", shape: [100_000], data: new Uint8Array(data.buffer) });
  expect(content).toMatchObject({ bytes: 400_000, figures: { counted: 100_000, mean: 2 } });
  expect(content.elements).toHaveLength(mostElements);
});

test("strings are text, pictures are recognized by their first bytes, and SVG is text", () => {
  expect(contentOf("t", tensorOf("BYTES", [2], ["a", "ü"]))).toEqual({
    name: "t",
    dtype: "BYTES",
    shape: [2],
    bytes: 3,
    elements: ["a", "ü"],
  });
  const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1);
  expect(contentOf("t", tensorOf("BYTES", [1], [png])).media?.type).toBe("image/png");
  expect(contentOf("t", tensorOf("BYTES", [1], ["<svg onload=alert(1)>"])).media).toBeUndefined();
  expect(contentOf("t", tensorOf("BYTES", [1], ["x".repeat(30_000)]))).toMatchObject({ cut: true });
});

test("an empty tensor has no elements and no statistics", () => {
  expect(contentOf("x", tensorOf("FP32", [0, 3], []))).toEqual({
    name: "x",
    dtype: "FP32",
    shape: [0, 3],
    bytes: 0,
    elements: [],
  });
});
