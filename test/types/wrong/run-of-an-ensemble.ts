// A test runs an ensemble with numbers for text
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

const embed = defineEnsemble({
  name: "embed",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ embedding: encoder(tokenize({ text })).hidden.mean("seq") }),
});

export const answer = embed.run({ text: [1] });
