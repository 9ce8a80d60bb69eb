/**
 * Parameters of Triton's ONNX Runtime backend for TensorRT, under the backend's own names; written as
 * strings. Source:
 * `ModelState::LoadModel` of `onnxruntime_backend`, and the TensorRT execution provider of ONNX Runtime.
 */
export interface TensorrtParameters {
  /** FP16 and INT8 are faster but less exact. BF16 since 26.02. Default `"FP32"`. */
  readonly precision_mode?: "FP32" | "FP16" | "INT8" | "BF16";
  /** Bytes that TensorRT may use to build and run an engine. Default: that of the release's ONNX Runtime. */
  readonly max_workspace_size_bytes?: number;
  /** INT8: file with the range of each tensor. Default none. */
  readonly int8_calibration_table_name?: string;
  /** INT8: the table was written by TensorRT instead of ONNX Runtime. Default false. */
  readonly int8_use_native_calibration_table?: boolean;
  /**
   * Keep engines in files, because building one takes minutes. The files only work with one model, one TensorRT version and one kind of
   * GPU. Default false.
   */
  readonly trt_engine_cache_enable?: boolean;
  /** Folder for the files on the server. Default: the server's working folder. */
  readonly trt_engine_cache_path?: string;
  /** Prefix of the file names. Default: ONNX Runtime's. Since 24.04. */
  readonly trt_engine_cache_prefix?: string;
  /** FP16: compute layer norms, which overflow in FP16, in FP32. Default false. Since 24.04. */
  readonly trt_layer_norm_fp32_fallback?: boolean;
  /**
   * Smallest sizes of every input, including the batch: `"input_ids:1x2,attention_mask:1x2"`. Smallest, fastest and
   * largest sizes must be set together. Default: taken from the ensemble's `warmup`; without samples, no limits. Since
   * 24.04.
   */
  readonly trt_profile_min_shapes?: string;
  /** The sizes for which the engine is fastest. Default: the sizes of the sample with `profile: "opt"`. Since 24.04. */
  readonly trt_profile_opt_shapes?: string;
  /** Largest sizes; larger requests fail. Default: taken from the samples, with the largest batch. Since 24.04. */
  readonly trt_profile_max_shapes?: string;
  /** Keep measured kernel times in a file, so that the next engine is built faster. Default false. Since 24.04. */
  readonly trt_timing_cache_enable?: boolean;
  /** Folder for the file on the server. Default: the server's working folder. Since 24.04. */
  readonly trt_timing_cache_path?: string;
  /** Also use the file of another GPU with the same compute capability. Default false. Since 24.04. */
  readonly trt_force_timing_cache?: boolean;
  /** How long TensorRT searches for a fast engine: from 0 to 5. Default 3. Since 24.04. */
  readonly trt_builder_optimization_level?: number;
  /** Build faster by using heuristics instead of measurements. Default false. Since 24.04. */
  readonly trt_build_heuristics_enable?: boolean;
  /** Use sparsity if half of the weights are zero. Default false. Since 24.04. */
  readonly trt_sparsity_enable?: boolean;
  /** Number of streams in addition to the main one; -1 lets TensorRT choose. Default -1. Since 24.04. */
  readonly trt_auxiliary_streams?: number;
  /** Allowed sources of kernels: `"-CUDNN,+CUBLAS"`. Default: TensorRT's choice. Since 24.04. */
  readonly trt_tactic_sources?: string;
  /** Libraries with plugins, separated by `;`. Default none. Since 24.04. */
  readonly trt_extra_plugin_lib_paths?: string;
  /** Maximum number of rounds of partitioning the graph for TensorRT. Default 1000. Since 24.04. */
  readonly trt_max_partition_iterations?: number;
  /** Minimum number of nodes in a part that TensorRT runs. Default 1. Since 24.04. */
  readonly trt_min_subgraph_size?: number;
  /** Run on NVIDIA's deep learning accelerator, if there is one. Default false. Since 24.04. */
  readonly trt_dla_enable?: boolean;
  /** The accelerator's number. Default 0. Since 24.04. */
  readonly trt_dla_core?: number;
  /** Build engines one after another on several GPUs. Default false. Since 24.04. */
  readonly trt_force_sequential_engine_build?: boolean;
  /** Let the parts of the model share memory. Default false. Since 24.04. */
  readonly trt_context_memory_sharing_enable?: boolean;
  /** Record CUDA graphs, which reduce work between kernels for inputs of equal sizes. Default false. Since 24.04. */
  readonly trt_cuda_graph_enable?: boolean;
  /** Write the parts that TensorRT runs to ONNX files. Default false. Since 24.04. */
  readonly trt_dump_subgraphs?: boolean;
  /** Log the builder's work, with timings. Default false. Since 24.04. */
  readonly trt_detailed_build_log?: boolean;
  /** Write an ONNX model with the engine inside it or next to it. Default false. Since 24.04. */
  readonly trt_dump_ep_context_model?: boolean;
  /** The path of that model on the server. Default: next to the original model. Since 24.04. */
  readonly trt_ep_context_file_path?: string;
  /** 0: the engine is next to the model, 1: inside it. Default 0. Since 24.04. */
  readonly trt_ep_context_embed_mode?: number;
}

/**
 * Options that Triton's ONNX Runtime backend passes to ONNX Runtime for CUDA; written as strings. Source: `onnxruntime_backend`,
 * ONNX Runtime 1.24.
 */
export interface CudaParameters {
  /** Run all of a model's work on one stream. Default false. */
  readonly use_ep_level_unified_stream?: boolean;
  /** Let convolutions use as much memory as their fastest algorithm needs. Default true. */
  readonly cudnn_conv_use_max_workspace?: boolean;
  /** Run convolutions over one dim as [N, C, 1, D] instead of [N, C, D, 1]. Default false. */
  readonly cudnn_conv1d_pad_to_nc1d?: boolean;
  /** Record CUDA graphs. Only for models without control flow and with inputs of constant sizes. Default false. */
  readonly enable_cuda_graph?: boolean;
  /** Compute skip-layer norms more exactly, but more slowly. Default false. */
  readonly enable_skip_layer_norm_strict_mode?: boolean;
  /** Run convolutions and the operators after them in the channels-last layout. Default false. */
  readonly prefer_nhwc?: boolean;
  /** Compute matrix products in TF32 if the GPU has it: faster, with 10 bits of mantissa. Default true. */
  readonly use_tf32?: boolean;
  /** Run convolution and bias in one kernel. Default: ONNX Runtime's. */
  readonly fuse_conv_bias?: boolean;
  /** Which kernels compute attention: a bit mask. Default 0: leave the choice to ONNX Runtime. */
  readonly sdpa_kernel?: number;
  /** Use the fastest of several measured kernels. Default false. */
  readonly tunable_op_enable?: boolean;
  /** Measure the kernels while the model runs. Default false. */
  readonly tunable_op_tuning_enable?: boolean;
  /** Maximum number of milliseconds to measure one kernel. Default: no limit. */
  readonly tunable_op_max_tuning_duration_ms?: number;
  /** Not available: the backend overwrites it. */
  readonly gpu_mem_limit?: "✗ Triton overwrites it: write it under `parameters` of the model";
  /** Not available: the backend overwrites it. */
  readonly arena_extend_strategy?: "✗ Triton overwrites it: write it under `parameters` of the model";
  /** Not available: the backend overwrites it. */
  readonly cudnn_conv_algo_search?: "✗ Triton overwrites it: write it under `parameters` of the model";
  /** Not available: the backend overwrites it. */
  readonly do_copy_in_default_stream?: "✗ Triton overwrites it: write it under `parameters` of the model";
}

/** An engine to which ONNX Runtime passes parts of a model that runs on GPUs. For other engines, use `raw`. */
export type GpuAccelerator =
  | {
      /** NVIDIA TensorRT: compiles parts of the model when it is loaded. */
      readonly name: "tensorrt";
      /** Default: FP32, with the samples' sizes. */
      readonly parameters?: TensorrtParameters;
    }
  | {
      /** CUDA, which models on GPUs use anyway; list it to set its options. Since 24.06. */
      readonly name: "cuda";
      /** Default: ONNX Runtime's. */
      readonly parameters?: CudaParameters;
    };

/** An engine to which ONNX Runtime passes parts of a model that runs on CPUs. */
export interface CpuAccelerator {
  /** Intel's OpenVINO. */
  readonly name: "openvino";
  /** Not available: the backend does not pass any parameters to OpenVINO. */
  readonly parameters?: "✗ Triton passes no parameters to OpenVINO";
}

/** An accelerator of ONNX Runtime. */
export type Accelerator = GpuAccelerator | CpuAccelerator;
