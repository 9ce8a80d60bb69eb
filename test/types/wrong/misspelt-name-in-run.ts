// Misspelt input in `run`
import { bytes, defineEnsemble } from "tritype";
import { tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ texts }) {
    return tokenize({ text: texts });
  },
});
