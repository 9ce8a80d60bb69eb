// a sample of a flow with an input that does not exist
import { bytes, flow } from "tritype";

const text = bytes("batch", 1);

export const wrong = flow({
  name: "wrong",
  maxBatchSize: 8,
  inputs: { text },
  outputs: { text },
  uses: {},
  run: ({ text }) => Promise.resolve({ text }),
  warmup: [{ name: "short", inputs: { texts: ["a short text"] } }],
});
