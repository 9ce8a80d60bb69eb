// Axis name that does not exist
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { hidden } = encoder(tokenize({ text }));
    return { x: hidden.mean("tokens") };
  },
});
