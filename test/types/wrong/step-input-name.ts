// an input that a step does not declare
import { bytes, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ txt }) => ({ text: String(txt) }),
});
