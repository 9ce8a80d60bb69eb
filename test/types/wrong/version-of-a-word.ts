// a version that is not a number
import { fp32, onnx } from "tritype";

export const step = onnx({
  name: "step",
  versions: { v1: { file: "models/v1.onnx" } },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
