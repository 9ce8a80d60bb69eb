// an engine that does not exist
import { bytes, step } from "tritype";

export const wrong = step({
  name: "wrong",
  engine: "deno",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ text }),
});
