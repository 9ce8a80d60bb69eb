// @ts-nocheck
import { defineEnsemble, fp32, python } from "tritype";

const double = python({
  name: "double",
  file: "steps/double.py",
  files: { "../words.txt": "steps/words.txt" },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double({ x }),
});
