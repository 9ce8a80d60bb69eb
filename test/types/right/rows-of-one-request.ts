import { defineEnsemble, fp32, onnx, type TensorType } from "tritype";
import type { AllTrue, Equal } from "../equal.ts";

const add = onnx({
  name: "add",
  file: "add.onnx",
  maxBatchSize: 8,
  inputs: { a: fp32("batch", 3, 640, 640), b: fp32("batch", 3, 640, 640) },
  outputs: { sum: fp32("batch", 84, 8400), label: fp32("batch", "length") },
});

/** In an ensemble without batching, the batch of a step is the first dim of the tensors that it gets. */
export const open = defineEnsemble({
  name: "open",
  inputs: { a: fp32("n", 3, 640, 640) },
  run: ({ a }) => add({ a, b: a }),
});
export const one = defineEnsemble({
  name: "one",
  inputs: { a: fp32(1, 3, 640, 640), b: fp32(-1, 3, 640, 640) },
  run: ({ a, b }) => add({ a, b }),
});

export type Checks = AllTrue<
  [
    Equal<(typeof open)["outputs"]["sum"], TensorType<"FP32", ["n", 84, 8400]>>,
    Equal<(typeof open)["outputs"]["label"], TensorType<"FP32", ["n", "length"]>>,
    Equal<(typeof one)["outputs"]["sum"], TensorType<"FP32", [1, 84, 8400]>>,
  ]
>;
