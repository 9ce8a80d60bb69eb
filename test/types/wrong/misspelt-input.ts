// Misspelt input
import { bytes, defineEnsemble } from "tritype";
import { encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    return encoder({ input_ids, atention_mask: attention_mask });
  },
});
