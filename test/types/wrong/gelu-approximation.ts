// An approximation of gelu that does not exist
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4) },
  run({ a }) {
    return { x: a.gelu({ approximation: "fast" }) };
  },
});
