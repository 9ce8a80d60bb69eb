// a precision that plans do not have
import { fp32, tensorrt } from "tritype";

export const wrong = tensorrt({
  name: "wrong",
  build: { onnx: "models/wrong.onnx", precision: "half" },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
