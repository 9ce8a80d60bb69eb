// Padding text
import { bytes, defineEnsemble } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    return { x: text.pad(1, 0, 1) };
  },
});
