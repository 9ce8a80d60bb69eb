// @ts-nocheck
import { defineEnsemble, einsum, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { a: fp32("batch", 4), b: fp32("batch", 8) },
  run({ a, b }) {
    return { y: a.matmul(einsum("bi,bj->ij", a, b)) };
  },
});
