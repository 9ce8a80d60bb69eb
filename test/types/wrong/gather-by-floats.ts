// Gather by floats
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 8), i: fp32("batch", 2) },
  run({ a, i }) {
    return { x: a.gather(1, i) };
  },
});
