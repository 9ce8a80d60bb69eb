// A client sends an unknown name
import { bytes, defineEnsemble, type InferInputs } from "tritype";
import { encoder, tokenize } from "../steps.ts";

const embed = defineEnsemble({
  name: "embed",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ embedding: encoder(tokenize({ text })).hidden.mean("seq") }),
});

export const request: InferInputs<typeof embed> = { texts: ["a"] };
