// @ts-nocheck
import { defineEnsemble, fp32, onnx } from "tritype";

/** Every version is checked against the declaration; an error that all of them share is reported once. */
const double = onnx({
  name: "double",
  versions: {
    1: { file: "models/double.onnx" },
    2: { file: "models/double-v2.onnx" },
    3: { file: "models/encoder.onnx" },
    4: {},
    5: { file: "models/broken.onnx" },
  },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
const wide = onnx({
  name: "wide",
  versions: { 1: { file: "models/double.onnx" }, 2: { file: "models/scale.onnx" } },
  inputs: { x: fp32("batch", 8) },
  outputs: { y: fp32("batch", 8) },
});
export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), w: fp32("batch", 8) },
  run: ({ x, w }) => ({ y: double({ x }).y, z: wide({ x: w }).y }),
});
