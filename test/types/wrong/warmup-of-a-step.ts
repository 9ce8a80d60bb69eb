// warmup of a step with an input that its file does not have
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "wrong",
  file: "classifier.onnx",
  inputs: { features: fp32("batch", 768) },
  outputs: { logits: fp32("batch", 2) },
  modelWarmup: [{ inputs: { feature: "zero" } }],
});
