// Splitting an axis that does not exist
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4) },
  run({ a }) {
    return { x: a.split("seq", 2)[0] };
  },
});
