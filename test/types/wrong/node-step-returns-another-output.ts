// a step on Node whose promise has an output that it does not declare
import { bytes, step } from "tritype";

export const wrong = step({
  name: "wrong",
  engine: "node",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: async ({ text }) => ({ text, more: 1 }),
});
