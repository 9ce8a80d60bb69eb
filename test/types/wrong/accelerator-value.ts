// a precision that the TensorRT accelerator does not have
import { fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "wrong",
  file: "models/wrong.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  optimization: {
    executionAccelerators: {
      gpuExecutionAccelerator: [
        { name: "tensorrt", parameters: { precision_mode: "FP8" } },
      ],
    },
  },
});
