// @ts-nocheck
import { defineEnsemble, fp32, torchscript, uint32 } from "tritype";

const double = torchscript({
  name: "double",
  file: "models/double.pt",
  inputs: { x: uint32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: uint32("batch", 4) },
  run: ({ x }) => double({ x }),
});
