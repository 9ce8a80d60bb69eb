// Sides of `when` with two dtypes
import { bool, defineEnsemble, fp32, fp64, when } from "tritype";

export const wrong = defineEnsemble({
  name: "wrong",
  inputs: { sure: bool("batch"), a: fp32("batch", 4), b: fp64("batch", 4) },
  run({ sure, a, b }) {
    return { x: when(sure, () => a, () => b) };
  },
});
