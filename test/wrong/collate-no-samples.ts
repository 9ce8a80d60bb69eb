// @ts-nocheck
import { bytes, defineEnsemble, fp32, int64, meanPool, onnx, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 32 });

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
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { last_hidden_state } = encoder({ input_ids, attention_mask });
    return { embedding: meanPool(last_hidden_state, attention_mask) };
  },
});
