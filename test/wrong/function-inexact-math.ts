// @ts-nocheck
import { defineEnsemble, fp32, step } from "tritype";

const clean = step({
  name: "clean",
  inputs: { x: fp32("batch", 1) },
  outputs: { y: fp32("batch", 1) },
  run: ({ x }) => ({ y: 1 / (1 + Math.exp(-x)) }),
});

export const tidy = defineEnsemble({
  name: "tidy",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 1) },
  run: ({ x }) => ({ tidy: clean({ x }).y }),
});
