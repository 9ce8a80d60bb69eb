// Mean pooling of integers
import { defineEnsemble, int64, meanPool } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { h: int64("batch", "seq", 384), m: int64("batch", "seq") },
  run({ h, m }) {
    return { x: meanPool(h, m) };
  },
});
