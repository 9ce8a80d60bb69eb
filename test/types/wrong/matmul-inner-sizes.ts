// Inner sizes of a matrix product that do not match
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 8, 384), b: fp32("batch", 768, 8) },
  run({ a, b }) {
    return { x: a.matmul(b) };
  },
});
