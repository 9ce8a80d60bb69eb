// Concat of different dtypes
import { concat, defineEnsemble, fp32, int64 } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { a: fp32("batch", 4), b: int64("batch", 4) },
  run({ a, b }) {
    return { x: concat([a, b], -1) };
  },
});
