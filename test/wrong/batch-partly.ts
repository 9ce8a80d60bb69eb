// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), y: fp32(4) },
  run({ x, y }) {
    return { y: x.add(1), z: y.add(1) };
  },
});
