// Constant with an open dim
import { constant, defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4) },
  run({ a }) {
    return { x: a.add(constant(fp32, 0, "batch", 4)) };
  },
});
