// Sides of `when` whose sizes do not match, at the tensor
import { bool, defineEnsemble, fp32, int64, when } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { sure: bool("batch"), a: fp32("batch", 4), b: fp32("batch", 3), ids: int64("batch") },
  run({ sure, a, b, ids }) {
    return when(sure, () => ({ x: a, ids }), () => ({ x: b, ids }));
  },
});
