// one file and several versions
import { fp32, onnx } from "tritype";

export const step = onnx({
  name: "step",
  file: "models/v1.onnx",
  versions: { 1: { file: "models/v1.onnx" }, 2: { file: "models/v2.onnx" } },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
