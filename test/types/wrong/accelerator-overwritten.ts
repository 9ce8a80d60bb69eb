// a parameter of CUDA's accelerator that Triton overwrites
import { defineEnsemble, fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "model",
  file: "model.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  optimization: {
    executionAccelerators: {
      gpuExecutionAccelerator: [
        { name: "cuda", parameters: { gpu_mem_limit: 4294967296 } },
      ],
    },
  },
});

export const around = defineEnsemble({
  name: "around",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => wrong({ x }),
});
