// @ts-nocheck
import { defineEnsemble, fp32, onnx } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  profiles: {
    cpu: { dynamicBatching: { preferredBatchSize: [16] } },
    gpu: {
      optimization: {
        executionAccelerators: {
          gpuExecutionAccelerator: [
            { name: "tensorrt", parameters: { trt_fp16_enable: true, trt_layernorm_fp32_fallback: true } },
          ],
        },
      },
    },
  },
});

export const total = defineEnsemble({
  name: "total",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => double({ x }),
});
