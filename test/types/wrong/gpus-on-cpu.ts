// GPUs for an instance on the CPU
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "model",
  file: "model.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  instanceGroup: [{ kind: "cpu", count: 1, gpus: [0] }],
});
