import { defineEnsemble, fp32, python } from "tritype";

const sum = python({
  name: "sum",
  file: "steps/sum.py",
  inputs: { x: fp32("batch", 1) },
  outputs: { y: fp32("batch", 1) },
  sequenceBatching: {
    controlInput: [{ name: "start", control: [{ kind: "start", fp32FalseTrue: [0, 1] }] }],
    state: [{ inputName: "sum_in", outputName: "sum_out", dataType: "FP32", dims: [1] }],
  },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 1) },
  run: ({ x }) => sum({ x }),
});
