// another batch size in a profile
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "wrong",
  file: "models/wrong.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  profiles: { cpu: { maxBatchSize: 4 } },
});
