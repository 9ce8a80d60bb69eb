// @ts-nocheck
import { defineEnsemble, fp32, onnx } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
const inner = defineEnsemble({
  name: "inner",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double({ x }),
});
export const outer = defineEnsemble({
  name: "outer",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => inner.version(2)({ x }),
});
