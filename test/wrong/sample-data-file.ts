// @ts-nocheck
import { defineEnsemble, fp32, onnx } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  modelWarmup: [{ name: "ones", inputs: { x: { dims: [4], inputDataFile: "models/broken.onnx" } } }],
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    return double({ x });
  },
});
