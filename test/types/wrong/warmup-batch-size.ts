// batch size of a warmup sample in Triton's spelling
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "wrong",
  file: "classifier.onnx",
  inputs: { features: fp32("batch", 768) },
  outputs: { logits: fp32("batch", 2) },
  modelWarmup: [{ batch_size: 8, inputs: { features: "random" } }],
});
