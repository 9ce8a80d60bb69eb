// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32(4, "batch") },
  run({ x }) {
    return { y: x.add(1) };
  },
});
