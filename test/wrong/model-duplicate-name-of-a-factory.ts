// @ts-nocheck
import { bytes, defineEnsemble, fp32, step } from "tritype";

const text = bytes("batch", 1);
const make = (factor: number) =>
  step({
    name: "count",
    engine: "node",
    inputs: { text },
    outputs: { n: fp32("batch", 1) },
    run: ({ text }) => ({ n: text.length * factor }),
  });
const [once, twice] = [make(1), make(2)];

export const count = defineEnsemble({
  name: "counts",
  maxBatchSize: 8,
  inputs: { text },
  run({ text }) {
    return { once: once({ text }).n, twice: twice({ text }).n };
  },
});
