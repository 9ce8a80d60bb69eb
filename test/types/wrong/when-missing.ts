// Sides of `when` with different names
import { bool, defineEnsemble, fp32, int64, when } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { sure: bool("batch"), a: fp32("batch", 4), ids: int64("batch") },
  run({ sure, a, ids }) {
    return when(sure, { x: a }, { x: a, ids });
  },
});
