// @ts-nocheck
import { bytes, defineEnsemble, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 16 });

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return { input_ids: tokenize({ text }).input_ids };
  },
  warmup: [{ name: "many", inputs: { text: ["a short text"] }, batchSize: 16 }],
});
