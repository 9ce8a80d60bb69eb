// a step that returns an output that it does not declare
import { bytes, fp32, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  outputs: { score: fp32("batch", 1) },
  run: ({ text }) => ({ score: text.length, length: text.length }),
});
