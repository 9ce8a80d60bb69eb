// Wrong dtype and wrong rank into a step
import { bytes, defineEnsemble } from "tritype";
import { encoder, half, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { hidden } = encoder(tokenize({ text }));
    return half({ features: hidden });
  },
});
