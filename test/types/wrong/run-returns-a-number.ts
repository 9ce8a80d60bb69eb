// `run` returns a number
import { bytes, defineEnsemble } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  run: () => ({ answer: 42 }),
});
