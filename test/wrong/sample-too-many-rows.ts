// @ts-nocheck
import { bytes, defineEnsemble, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 16 });

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 2,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return { input_ids: tokenize({ text }).input_ids };
  },
  warmup: [{ name: "a", inputs: { text: ["x", "y", "z"] } }],
});
