// parameters for OpenVINO
import { defineEnsemble, fp32, onnx } from "tritype";

export const wrong = onnx({
  name: "model",
  file: "model.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  optimization: {
    executionAccelerators: {
      cpuExecutionAccelerator: [
        { name: "openvino", parameters: { num_of_threads: 4 } },
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
