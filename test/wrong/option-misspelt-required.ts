import { bytes, defineEnsemble, tokenizer } from "tritype";

const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLenght: 32 } as never);

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return tokenize({ text });
  },
});
