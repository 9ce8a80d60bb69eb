// @ts-nocheck
import { defineEnsemble, fp32, int64, onnx } from "tritype";

const outputs = { y: fp32("batch", 4) };
const floats = onnx({ name: "floats", file: "models/double.onnx", inputs: { x: fp32("batch", 4) }, outputs });
const integers = onnx({
  name: "integers",
  file: "models/double.onnx",
  inputs: { x: int64("batch", 4) },
  outputs,
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 6) },
  run({ x }) {
    return { floats: floats({ x }).y, integers: integers({ x }).y };
  },
});
