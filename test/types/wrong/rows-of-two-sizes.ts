import { defineEnsemble, fp32, onnx } from "tritype";

const add = onnx({
  name: "add",
  file: "add.onnx",
  maxBatchSize: 8,
  inputs: { a: fp32("batch", 4), b: fp32("batch", 4) },
  outputs: { sum: fp32("batch", 4) },
});
export const e = defineEnsemble({
  name: "e",
  inputs: { a: fp32("n", 4), b: fp32("m", 4) },
  run: ({ a, b }) => add({ a, b }),
});
