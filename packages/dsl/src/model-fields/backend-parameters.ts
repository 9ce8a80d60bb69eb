/** Parameters that Triton itself reads, for a model on any C++ backend. */
type SharedParameters = {
  /** Path, on the server, of a library that decides which requests become a batch. Default: Triton decides. */
  readonly TRITON_BATCH_STRATEGY_PATH?: string;
};

/** Parameters of Triton's PyTorch backend for TorchScript; written as strings. Source: `ModelState::ParseParameters` of `pytorch_backend`. */
export type TorchscriptParameters = SharedParameters & {
  /** Run without the optimizations of TorchScript's executor, which make the first requests slow. Default false. */
  readonly DISABLE_OPTIMIZED_EXECUTION?: boolean;
  /** Run in inference mode, without gradient bookkeeping. Default true. */
  readonly INFERENCE_MODE?: boolean;
  /** Run without cuDNN. Default false. */
  readonly DISABLE_CUDNN?: boolean;
  /** Fuse tensor operations. Default: LibTorch's. */
  readonly ENABLE_TENSOR_FUSER?: boolean;
  /** Instances on one device share the weights; only for models without state. Default false. */
  readonly ENABLE_WEIGHT_SHARING?: boolean;
  /** Release cached GPU memory after every execution: slower, but uses less memory. Default false. */
  readonly ENABLE_CACHE_CLEANING?: boolean;
  /** Specialize the model for the first requests. Default: LibTorch's. */
  readonly ENABLE_JIT_PROFILING?: boolean;
  /** Use the profiling executor. Default: LibTorch's. */
  readonly ENABLE_JIT_EXECUTOR?: boolean;
  /** Threads inside one operator; the first model's value applies to the whole server. Default: the number of cores. */
  readonly INTRA_OP_THREAD_COUNT?: number;
  /**
   * Threads for operators that run in parallel; the first model's value applies to the whole server. Default: the number of
   * cores.
   */
  readonly INTER_OP_THREAD_COUNT?: number;
};

/** Parameters of Triton's TensorRT backend; written as strings. Source: `ModelState::ParseParameters` of `tensorrt_backend`. */
export type TensorrtModelParameters = SharedParameters & {
  /**
   * When memory for a plan's intermediate tensors is allocated: at load, or when a profile needs it. Default `"STATIC"`. Since
   * 25.05.
   */
  readonly execution_context_allocation_strategy?: "ON_PROFILE_CHANGE" | "STATIC";
};

/** Parameters of Triton's OpenVINO backend; written as strings. Source: `ModelState::ParseParameters` of `openvino_backend`. */
export type OpenvinoParameters = SharedParameters & {
  /** Optimize for single requests or for many at once. Default: OpenVINO's. */
  readonly PERFORMANCE_HINT?: "LATENCY" | "THROUGHPUT";
  /** Maximum threads for inference. Default: the number of cores. */
  readonly INFERENCE_NUM_THREADS?: number;
  /** Maximum threads for compiling the model. Default: the number of cores. */
  readonly COMPILATION_NUM_THREADS?: number;
  /** Compute in BF16 if the device supports it. Default: OpenVINO's. */
  readonly HINT_BF16?: "YES";
  /** Requests that run in parallel on the device: a number, or OpenVINO's choice. Default: OpenVINO's. */
  readonly NUM_STREAMS?: number | "AUTO" | "NUMA";
  /** Turns off OpenVINO's dynamic batching, which some models do not support: only batches of the largest size can then run. Default `"NO"`. */
  readonly SKIP_OV_DYNAMIC_BATCHSIZE?: "NO" | "YES";
  /** Pad smaller batches to the largest one. Default `"NO"`: they are errors if the batch is not dynamic. */
  readonly ENABLE_BATCH_PADDING?: "NO" | "YES";
  /** Reshape the model to the declared sizes. Default `"NO"`. */
  readonly RESHAPE_IO_LAYERS?: "NO" | "YES";
  /** `"CPU"`, `"GPU"`, `"NPU"`, or a virtual device such as `"AUTO"`. Default `"CPU"`. */
  readonly TARGET_DEVICE?: string;
  /** Path, on the server, of a library with kernels for your own layers. Default none. */
  readonly CPU_EXTENSION_PATH?: string;
};
