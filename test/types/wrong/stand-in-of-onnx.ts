// a profile that uses the stand-in of a step that has none
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "wrong",
  file: "models/wrong.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  profiles: { cpu: { useStandIn: true } },
});
