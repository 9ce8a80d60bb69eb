// Mask of another tensor
import { defineEnsemble, fp32, int64, meanPool } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { h: fp32("batch", "seq", 384), m: int64("batch", "other") },
  run({ h, m }) {
    return { x: meanPool(h, m) };
  },
});
