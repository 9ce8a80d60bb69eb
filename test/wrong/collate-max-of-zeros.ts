// @ts-nocheck
import { bytes, defineEnsemble, fp32, int64, onnx, tokenizer } from "tritype";

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
    const tokens = last_hidden_state.mul(attention_mask.cast(fp32).unsqueeze(-1));
    return { sum: tokens.sum("seq"), largest: tokens.max("seq") };
  },
  warmup: [
    { name: "short", inputs: { text: ["a text"] } },
    { name: "long", inputs: { text: ["a text that goes on and on"] } },
  ],
});
