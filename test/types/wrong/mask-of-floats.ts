// Mask of floats
import { defineEnsemble, fp32, meanPool } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { h: fp32("batch", "seq", 384), m: fp32("batch", "seq") },
  run({ h, m }) {
    return { x: meanPool(h, m) };
  },
});
