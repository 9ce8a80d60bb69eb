import { defineEnsemble, fp32 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 1e21) },
  run: ({ x }) => ({ y: x.add(1) }),
});
