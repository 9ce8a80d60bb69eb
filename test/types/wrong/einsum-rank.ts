// A tensor of einsum with more axes than labels
import { defineEnsemble, einsum, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", "seq", 4), b: fp32("batch", 4) },
  run({ a, b }) {
    return { x: einsum("bi,bi->b", b, a) };
  },
});
