// Einsum of two dtypes
import { defineEnsemble, einsum, fp16, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4), b: fp16("batch", 4) },
  run({ a, b }) {
    return { x: einsum("bi,bi->b", a, b) };
  },
});
