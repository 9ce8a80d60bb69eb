// @ts-nocheck
import { defineEnsemble, fp32, lookup, onnx } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
export const best = defineEnsemble({
  name: "best",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), any: fp32("batch", "n") },
  run({ x, any }) {
    const { values, indices } = double({ x }).y.topK(2, -1);
    return {
      values,
      best: lookup(indices, ["a", "b", "c", "d", "e"]),
      worst: lookup(x.argmin(-1, { keepDims: true }), ["a", "b", "c", "d"]),
      first: lookup(any.argmax(-1, { keepDims: true }), ["a"]),
    };
  },
});
