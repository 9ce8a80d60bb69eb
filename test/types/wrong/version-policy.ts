// Version policy without its field
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "model",
  file: "model.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  versionPolicy: { latest: 2 },
});
