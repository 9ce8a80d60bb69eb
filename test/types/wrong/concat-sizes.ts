// Concat of different sizes
import { concat, defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", "seq", 4), b: fp32("batch", 2, 4) },
  run({ a, b }) {
    return { x: concat([a, b], -1) };
  },
});
