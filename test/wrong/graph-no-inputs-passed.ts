import { defineEnsemble, fp32, optional, step } from "tritype";

const factor = step({
  name: "factor",
  inputs: { by: optional(fp32("batch", 4)), extra: optional(fp32("batch", 4)) },
  outputs: { used: fp32("batch", 4) },
  run: ({ by, extra }) => ({ used: by ?? extra ?? [1, 1, 1, 1] }),
});

export const scale = defineEnsemble({
  name: "scale",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: x.mul(factor({}).used) }),
});
