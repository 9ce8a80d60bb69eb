// Wrong literal dim
import { bytes, defineEnsemble } from "tritype";
import { classifier, encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { hidden } = encoder(tokenize({ text }));
    return classifier({ features: hidden.mean("seq") });
  },
});
