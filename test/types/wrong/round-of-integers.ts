// Rounding integers
import { defineEnsemble, int64 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: int64("batch", 4) },
  run({ a }) {
    return { x: a.round() };
  },
});
