// Misspelt input of a nested ensemble
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

const embed = defineEnsemble({
  name: "embed",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ embedding: encoder(tokenize({ text })).hidden.mean("seq") }),
});

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { left: bytes("batch", 1) },
  run: ({ left }) => embed({ texts: left }),
});
