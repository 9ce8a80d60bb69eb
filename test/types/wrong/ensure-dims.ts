// ensureDims contradicts the known sizes
import { defineEnsemble, fp32 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", "seq", 4) },
  run({ a }) {
    return { x: a.ensureDims("batch", "seq", 8) };
  },
});
