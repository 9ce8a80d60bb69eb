// @ts-nocheck
import { concat, defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 2, 4), y: fp32("batch", 2, 5) },
  run({ x, y }) {
    return { z: concat([x, y], 1) };
  },
});
