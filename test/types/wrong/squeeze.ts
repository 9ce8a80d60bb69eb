// Squeeze of a size that is not 1
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { hidden } = encoder(tokenize({ text }));
    return { x: hidden.squeeze(2) };
  },
});
