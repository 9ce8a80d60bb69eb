// one file and several versions
import { defineEnsemble, fp32, onnx } from "tritype";

const step = onnx({
  name: "step",
  file: "models/v1.onnx",
  versions: { 1: { file: "models/v1.onnx" }, 2: { file: "models/v2.onnx" } },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

export const wrong = defineEnsemble({
  name: "wrong",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => step({ x }),
});
