// @ts-nocheck
import { defineEnsemble, fp32, onnx } from "tritype";

const double = onnx({
  name: "double",
  versions: { 1: { file: "models/double.onnx" }, 2: { file: "models/scale.onnx" } },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
export const old = defineEnsemble({
  name: "old",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double.version(1)({ x }),
});
export const current = defineEnsemble({
  name: "current",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double.version(2)({ x }),
});
