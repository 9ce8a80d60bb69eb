// `uses` with something that is not a step
import { bytes, flow } from "tritype";

export const wrong = flow({
  name: "wrong",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  uses: { trim: (text: string) => text.trim() },
  run: async ({ text }) => ({ text }),
});
