// a step without a file
import { fp32, onnx } from "tritype";

export const step = onnx({
  name: "step",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
