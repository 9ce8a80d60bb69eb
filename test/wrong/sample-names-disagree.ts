// @ts-nocheck
import { defineEnsemble, fp32, int64, onnx } from "tritype";

const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
  modelWarmup: [{ name: "a", inputs: { input_ids: [[1, 2, 3]], attention_mask: [[1, 1]] } }],
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { ids: int64("batch", "seq"), mask: int64("batch", "seq") },
  run({ ids, mask }) {
    return encoder({ input_ids: ids, attention_mask: mask });
  },
});
