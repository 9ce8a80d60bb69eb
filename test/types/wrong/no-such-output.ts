// No such output
import { bytes, defineEnsemble } from "tritype";
import { tokenize } from "../steps.ts";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { token_type_ids } = tokenize({ text });
    return { token_type_ids };
  },
});
