// L2 normalization of integers
import { defineEnsemble, int64, l2Normalize } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: int64("batch", 4) },
  run({ a }) {
    return { x: l2Normalize(a) };
  },
});
