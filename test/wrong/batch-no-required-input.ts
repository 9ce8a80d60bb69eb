import { defineEnsemble, fp32, optional, step } from "tritype";

const factor = step({
  name: "factor",
  inputs: { by: optional(fp32("batch", 4)) },
  outputs: { used: fp32("batch", 4) },
  run: ({ by }) => ({ used: by ?? [1, 1, 1, 1] }),
});

export const scale = defineEnsemble({
  name: "scale",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), by: optional(fp32("batch", 4)) },
  run: ({ x, by }) => ({ y: x.mul(factor({ by }).used) }),
});
