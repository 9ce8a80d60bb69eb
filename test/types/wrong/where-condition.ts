// Condition of `where` that is not BOOL
import { defineEnsemble, fp32, int64, where } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { mask: int64("batch", 4), a: fp32("batch", 4), b: fp32("batch", 4) },
  run({ mask, a, b }) {
    return { x: where(mask, a, b) };
  },
});
