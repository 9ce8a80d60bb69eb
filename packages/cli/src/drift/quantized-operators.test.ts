import { readFileSync } from "node:fs";
import { fileOnDisk } from "@tritype/project";
import { expect, test } from "vitest";
import { quantizedOperators } from "./quantized-operators.ts";

const models = new URL("../../../../examples/", import.meta.url);
const operatorsOf = (path: string): readonly string[] =>
  quantizedOperators(fileOnDisk(new URL(path, models).pathname) ?? { size: 0, readAt: () => undefined });

test("finds the example's quantized table, and no operators in a file without quantization", () => {
  expect(operatorsOf("sentence-embedding/assets/static/model.onnx")).toEqual(["DequantizeLinear"]);
  expect(operatorsOf("sentiment-tensorrt/assets/model.onnx")).toEqual([]);
});

test("a file that is not a model has no quantized operators", () => {
  const bytes = readFileSync(new URL("README.md", models));
  const readAt = (offset: number, length: number) => bytes.subarray(offset, offset + length);
  expect(quantizedOperators({ size: bytes.length, readAt })).toEqual([]);
});
