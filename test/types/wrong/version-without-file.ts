// a version that is only a path
import { fp32, onnx } from "tritype";

export const step = onnx({
  name: "step",
  versions: { 1: "models/v1.onnx" },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
