import type { LibrarySet } from "@tritype/wheels";

/** The CUDA libraries of one ONNX Runtime release. */
export interface CudaRelease extends LibrarySet {
  /** The matching version of onnxruntime-node, "1.30.0". */
  readonly onnxruntime: string;
  /** The CUDA version that the provider was built with, "13.0". */
  readonly cuda: string;
  /** The first driver that supports this CUDA version. */
  readonly driver: string;
  /** Libraries that must be loaded before the provider, in this order: it refers to them by name only. */
  readonly preload: readonly string[];
}

/**
 * Libraries that the CUDA provider of PyPI's onnxruntime-gpu 1.30.0 links (`readelf -d`: cudart, cublas, cublasLt,
 * curand, libcuda) and opens on demand (cudnn, cufft, nvrtc), from the CUDA version that it was compiled with.
 */
export const cudaRelease: CudaRelease = {
  name: "onnxruntime-1.30.0",
  onnxruntime: "1.30.0",
  cuda: "13.0",
  driver: "580",
  bytes: 2_485_000_000,
  preload: [
    "libcudart.so.13",
    "libnvrtc.so.13",
    "libnvJitLink.so.13",
    "libcublasLt.so.13",
    "libcublas.so.13",
    "libcurand.so.10",
    "libcufft.so.12",
    "libcudnn.so.9",
  ],
  wheels: [
    {
      project: "onnxruntime-gpu",
      version: "1.30.0",
      platform: "manylinux_2_28_x86_64",
      sha256: "6acc0f4b3d5ac5f2984432faa59dd8fcce6775f8b43a7140afa0f322c7a703b1",
      bytes: 246_685_715,
      libraries: [
        "libonnxruntime_providers_shared.so",
        "libonnxruntime_providers_cuda.so",
        "libonnxruntime_providers_tensorrt.so",
      ],
    },
    {
      project: "nvidia-cuda-runtime",
      version: "13.0.96",
      platform: "manylinux_2_17_x86_64",
      sha256: "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
      bytes: 2_243_632,
      libraries: ["libcudart.so.13"],
    },
    {
      project: "nvidia-cuda-nvrtc",
      version: "13.0.88",
      platform: "manylinux_2_12_x86_64",
      sha256: "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575",
      bytes: 90_215_200,
      libraries: ["libnvrtc.so.13", "libnvrtc-builtins.so.13.0"],
    },
    {
      project: "nvidia-nvjitlink",
      version: "13.0.88",
      platform: "manylinux_2_12_x86_64",
      sha256: "13a74f429e23b921c1109976abefacc69835f2f433ebd323d3946e11d804e47b",
      bytes: 40_713_933,
      libraries: ["libnvJitLink.so.13"],
    },
    {
      project: "nvidia-curand",
      version: "10.4.0.35",
      platform: "manylinux_2_27_x86_64",
      sha256: "1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc",
      bytes: 59_544_258,
      libraries: ["libcurand.so.10"],
    },
    {
      project: "nvidia-cufft",
      version: "12.0.0.61",
      platform: "manylinux_2_17_x86_64",
      sha256: "6c44f692dce8fd5ffd3e3df134b6cdb9c2f72d99cf40b62c32dde45eea9ddad3",
      bytes: 214_085_489,
      libraries: ["libcufft.so.12"],
    },
    {
      project: "nvidia-cublas",
      version: "13.0.2.14",
      platform: "manylinux_2_27_x86_64",
      sha256: "0cf238ffdbe46c00cb9aa98e7bca745c223a5ca5a53e686ac8b3e5a08fe80d6c",
      bytes: 420_882_912,
      libraries: ["libcublas.so.13", "libcublasLt.so.13"],
    },
    {
      project: "nvidia-cudnn-cu13",
      version: "9.28.0.42",
      platform: "manylinux_2_27_x86_64",
      sha256: "7358353c75bb121a58e5f7712fe6d588883dc1df8ba00f428237e44e97543c4d",
      bytes: 516_782_127,
      libraries: [
        "libcudnn.so.9",
        "libcudnn_adv.so.9",
        "libcudnn_cnn.so.9",
        "libcudnn_engines_precompiled.so.9",
        "libcudnn_engines_runtime_compiled.so.9",
        "libcudnn_engines_tensor_ir.so.9",
        "libcudnn_ext.so.9",
        "libcudnn_graph.so.9",
        "libcudnn_heuristic.so.9",
        "libcudnn_ops.so.9",
      ],
    },
  ],
};
