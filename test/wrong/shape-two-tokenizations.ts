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
  inputs: { text: bytes("batch", 1), other: bytes("batch", 1) },
  run({ text, other }) {
    const a = tokenize({ text });
    const b = tokenize({ text: other });
    const { last_hidden_state } = encoder({ input_ids: a.input_ids, attention_mask: b.attention_mask });
    return { embedding: meanPool(last_hidden_state, a.attention_mask) };
  },
});
