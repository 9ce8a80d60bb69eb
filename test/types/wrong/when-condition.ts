// Condition of `when` with several values for a row
import { defineEnsemble, fp32, when } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4) },
  run({ a }) {
    return { x: when(a.gt(0), a, () => a.neg()) };
  },
});
