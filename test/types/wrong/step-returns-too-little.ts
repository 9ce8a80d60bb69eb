// a step that leaves out an output
import { bytes, fp32, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1), score: fp32("batch", 1) },
  run: ({ text }) => ({ text }),
});
