// Instances set on the ensemble
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  instanceGroup: [{ count: 2 }],
  run: ({ text }) => encoder(tokenize({ text })),
});
