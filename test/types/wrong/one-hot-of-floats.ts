// One-hot of floats
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch") },
  run({ a }) {
    return { x: a.oneHot(3, -1, fp32) };
  },
});
