// @ts-nocheck
import { defineEnsemble, fp32, torchscript } from "tritype";

const double = torchscript({
  name: "double",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double({ x }),
});
