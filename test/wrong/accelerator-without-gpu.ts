import { defineEnsemble, fp32, onnx } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  instanceGroup: [{ kind: "cpu", count: 1 }],
  optimization: { executionAccelerators: { gpuExecutionAccelerator: [{ name: "tensorrt" }] } },
});
/** The profile `gpu` uses the accelerator. */
const scale = onnx({
  name: "scale",
  file: "models/scale.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  instanceGroup: [{ kind: "cpu", count: 1 }],
  optimization: { executionAccelerators: { gpuExecutionAccelerator: [{ name: "tensorrt" }] } },
  profiles: { gpu: { instanceGroup: [{ kind: "gpu" }] } },
});

export const both = defineEnsemble({
  name: "both",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => scale({ x: double({ x }).y }),
});
