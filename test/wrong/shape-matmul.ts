// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 2, 4), y: fp32("batch", 5, 3) },
  run({ x, y }) {
    return { z: x.matmul(y) };
  },
});
