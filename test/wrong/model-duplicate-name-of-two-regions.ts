// @ts-nocheck
import { defineEnsemble, fp32 } from "tritype";

export const a = defineEnsemble({
  name: "a",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ b_c: x.add(1) }),
});
export const ab = defineEnsemble({
  name: "a_b",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ c: x.add(1) }),
});
