// A second text for a tokenizer without `pair`
import { bytes, defineEnsemble } from "tritype";
import { tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1), other: bytes("batch", 1) },
  run({ text, other }) {
    return tokenize({ text, text_pair: other });
  },
});
