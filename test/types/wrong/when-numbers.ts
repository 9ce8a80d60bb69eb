// Condition of `when` that is not BOOL
import { defineEnsemble, fp32, when } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4) },
  run({ a }) {
    return { x: when(a.max(-1), a, () => a.neg()) };
  },
});
