// a flow that calls a model that is not in `uses`
import { bytes, flow, fp32, step } from "tritype";

const text = bytes("batch", 1);
const rate = step({
  name: "rate",
  inputs: { text, weight: fp32("batch", 1) },
  outputs: { score: fp32("batch", 1) },
  run: ({ text, weight }) => ({ score: text.length * weight }),
});

export const wrong = flow({
  name: "wrong",
  inputs: { text },
  outputs: { score: fp32("batch", 1) },
  uses: { rate },
  run: async ({ text }, { ratee }) => ratee({ text, weight: 1 }),
});
