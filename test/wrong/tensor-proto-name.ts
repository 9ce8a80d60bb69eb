import { defineEnsemble, fp32 } from "tritype";

export const scale = defineEnsemble({
  name: "scale",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), ["__proto__"]: fp32("batch", 4) },
  run: ({ x }) => ({ y: x.mul(2) }),
  warmup: [{ inputs: { x: [[1, 2, 3, 4]], ["__proto__"]: [[1, 2, 3, 4]] } }],
});
