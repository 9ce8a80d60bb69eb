// a version that the step does not list
import { defineEnsemble, fp32, onnx } from "tritype";

const step = onnx({
  name: "step",
  versions: { 1: { file: "models/v1.onnx" }, 2: { file: "models/v2.onnx" } },
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
export const ensemble = defineEnsemble({
  name: "ensemble",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ z: step.version(3)({ x }).y }),
});
