// @ts-nocheck
import { bytes, defineEnsemble, tokenizer } from "tritype";

const tokenize = tokenizer({
  name: "tokenize",
  versions: { 1: { from: "assets/tokenizer" }, 2: { from: "assets/none" }, 3: { from: "assets/odd" } },
  maxLength: 16,
});
const both = tokenizer({
  name: "both",
  from: "assets/tokenizer",
  versions: { v2: { from: "assets/tokenizer" } },
  maxLength: 16,
});
export const ids = defineEnsemble({
  name: "ids",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ a: tokenize({ text }).input_ids, b: both({ text }).input_ids }),
});
