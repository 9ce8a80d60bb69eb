// More labels than tensors
import { defineEnsemble, einsum, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4) },
  run({ a }) {
    return { x: einsum("bi,bj->bij", a) };
  },
});
