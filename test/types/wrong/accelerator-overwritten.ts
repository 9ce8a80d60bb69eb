// a parameter of CUDA's accelerator that Triton overwrites
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "wrong",
  file: "models/wrong.onnx",
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
