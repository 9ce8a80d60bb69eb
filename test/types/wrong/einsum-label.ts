// A label of the result that no tensor has
import { defineEnsemble, einsum, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4) },
  run({ a }) {
    return { x: einsum("bi->bo", a) };
  },
});
