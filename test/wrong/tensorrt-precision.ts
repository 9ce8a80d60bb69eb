// @ts-nocheck
import { defineEnsemble, fp32, int64, tensorrt } from "tritype";

const encoder = tensorrt({
  name: "encoder",
  build: {
    onnx: "models/encoder.onnx",
    precision: "fp8" as "fp16",
    sizes: { seq: { min: 1, opt: 64, max: 256 } },
  },
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  run: ({ input_ids, attention_mask }) => encoder({ input_ids, attention_mask }),
});
