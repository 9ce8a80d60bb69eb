// @ts-nocheck
import { bytes, defineEnsemble, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/odd", maxLength: 32 });
export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return tokenize({ text });
  },
});
