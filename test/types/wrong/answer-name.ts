// A client reads an unknown output
import { bytes, defineEnsemble, type InferOutputs } from "tritype";
import { encoder, tokenize } from "../steps.ts";

const embed = defineEnsemble({
  name: "embed",
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ embedding: encoder(tokenize({ text })).hidden.mean("seq") }),
});

export const read = ({ embeddings }: InferOutputs<typeof embed>): unknown => embeddings;
