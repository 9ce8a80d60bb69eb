// GPUs for an instance on the CPU
import { defineEnsemble, fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "model",
  file: "model.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  instanceGroup: [{ kind: "cpu", count: 1, gpus: [0] }],
});

export const around = defineEnsemble({
  name: "around",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => wrong({ x }),
});
