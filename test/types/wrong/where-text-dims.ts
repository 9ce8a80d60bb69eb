// Texts of two shapes
import { bool, bytes, defineEnsemble, where } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { sure: bool("batch", 1), text: bytes("batch", 2), other: bytes("batch", 3) },
  run({ sure, text, other }) {
    return { text: where(sure, text, other) };
  },
});
