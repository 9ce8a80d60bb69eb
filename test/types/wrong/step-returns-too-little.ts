// a step that leaves an output out
import { bytes, fp32, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1), score: fp32("batch", 1) },
  run: ({ text }) => ({ text }),
});
