// an option that a step does not have
import { bytes, step } from "tritype";

export const wrong = step({
  name: "wrong",
  file: "clean.py",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ text }),
});
