// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 10) },
  run({ x }) {
    return { y: x.split(-1, [3, 6])[1], z: x.split(-1, 3)[0] };
  },
});
