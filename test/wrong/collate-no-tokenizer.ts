// @ts-nocheck
import { defineEnsemble, fp32, int64, meanPool, onnx } from "tritype";

const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) },
});

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  batchBy: "length",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  run({ input_ids, attention_mask }) {
    const { last_hidden_state } = encoder({ input_ids, attention_mask });
    return { embedding: meanPool(last_hidden_state, attention_mask) };
  },
  warmup: [{ inputs: { input_ids: [[1, 2]], attention_mask: [[1, 1]] } }],
});
