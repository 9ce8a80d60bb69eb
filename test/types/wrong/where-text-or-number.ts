// A number in place of text
import { bool, bytes, defineEnsemble, where } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { sure: bool("batch", 1), text: bytes("batch", 1) },
  run({ sure, text }) {
    return { text: where(sure, text, 0) };
  },
});
