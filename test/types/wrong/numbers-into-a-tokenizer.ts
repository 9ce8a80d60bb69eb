// Numbers into a tokenizer
import { defineEnsemble, fp32 } from "tritype";
import { encoder, tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: fp32("batch", 1) },
  run({ text }) {
    return encoder(tokenize({ text }));
  },
});
