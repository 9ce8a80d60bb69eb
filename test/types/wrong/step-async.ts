// a step whose `run` is async
import { bytes, step } from "tritype";

export const wrong = step({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: async ({ text }) => ({ text }),
});
