// one folder and several versions of a tokenizer
import { bytes, defineEnsemble, tokenizer } from "tritype";

const tokenize = tokenizer({
  name: "tokenize",
  from: "assets/v1",
  versions: { 1: { from: "assets/v1" } },
  maxLength: 16,
});

export const wrong = defineEnsemble({
  name: "wrong",
  maxBatchSize: 4,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => tokenize({ text }),
});
