// sizes of a dim that the plan's inputs do not have
import { fp32, tensorrt } from "tritype";

export const wrong = tensorrt({
  name: "wrong",
  build: { onnx: "models/wrong.onnx", sizes: { sequence: { min: 1, opt: 8, max: 16 } } },
  inputs: { x: fp32("batch", "seq") },
  outputs: { y: fp32("batch", "seq") },
});
