// Branches of `where` with two dtypes
import { bool, defineEnsemble, fp32, fp64, where } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { mask: bool("batch", 4), a: fp32("batch", 4), b: fp64("batch", 4) },
  run({ mask, a, b }) {
    return { x: where(mask, a, b) };
  },
});
