// Misspelt option of an ensemble
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  maxBatchsize: 8,
  run: ({ text }) => encoder(tokenize({ text })),
});
