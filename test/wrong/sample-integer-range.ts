// @ts-nocheck
import { defineEnsemble, int8 } from "tritype";

export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 8,
  inputs: { n: int8("batch", 1) },
  run({ n }) {
    return { m: n.add(1) };
  },
  warmup: [{ inputs: { n: [[300]] } }],
});
