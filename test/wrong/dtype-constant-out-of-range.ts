// @ts-nocheck
import { defineEnsemble, fp32, int32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    return { y: x.cast(int32).add(3000000000) };
  },
});
