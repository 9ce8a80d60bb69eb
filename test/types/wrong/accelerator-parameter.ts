// a parameter that TensorRT's accelerator does not have
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "wrong",
  file: "models/wrong.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  optimization: {
    executionAccelerators: {
      gpuExecutionAccelerator: [
        { name: "tensorrt", parameters: { trt_layernorm_fp32_fallback: true } },
      ],
    },
  },
});
