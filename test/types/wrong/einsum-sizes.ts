// A label of einsum with two sizes
import { defineEnsemble, einsum, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 384), b: fp32("batch", 768) },
  run({ a, b }) {
    return { x: einsum("bi,bi->b", a, b) };
  },
});
