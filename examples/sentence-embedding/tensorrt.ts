import type { ProfileFields } from "tritype";

/**
 * The encoder on GPUs: ONNX Runtime hands it to TensorRT in half precision. The squares in LayerNorm exceed FP16's range, so they stay in
 * FP32. Engines are built for the sizes of the warmup samples and kept in a folder, for which `compose.yaml` and the chart have a volume.
 */
export const tensorrt: ProfileFields = {
  instanceGroup: [{ kind: "gpu", count: 1 }],
  optimization: {
    executionAccelerators: {
      gpuExecutionAccelerator: [
        {
          name: "tensorrt",
          parameters: {
            precision_mode: "FP16",
            trt_layer_norm_fp32_fallback: true,
            max_workspace_size_bytes: 4 * 2 ** 30,
            trt_engine_cache_enable: true,
            trt_engine_cache_path: "/var/cache/tensorrt",
          },
        },
      ],
    },
  },
};
