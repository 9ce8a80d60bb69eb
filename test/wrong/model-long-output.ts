import { defineEnsemble, fp32 } from "tritype";

export const scale = defineEnsemble({
  name: "scale",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ ["twice".repeat(60)]: x.mul(2) }),
});
