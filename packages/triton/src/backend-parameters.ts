import type { AcceleratorParameters } from "./accelerators.ts";

const yesOrNo = ["YES", "NO"] as const;

/** What Triton core reads from the parameters of a model of any C++ backend. Source: `backend_model.cc` of Triton core. */
const ofCore = { TRITON_BATCH_STRATEGY_PATH: "text" } as const satisfies AcceleratorParameters;

/**
 * The `parameters` that a backend reads, by the backend's name; backends that are not here read what they like. Unknown ones are passed
 * over in silence. Source: `ParseParameters` of `pytorch_backend`, `tensorrt_backend` and `openvino_backend`.
 */
const known: Readonly<Record<string, AcceleratorParameters>> = {
  pytorch: {
    DISABLE_OPTIMIZED_EXECUTION: "boolean",
    INFERENCE_MODE: "boolean",
    DISABLE_CUDNN: "boolean",
    ENABLE_TENSOR_FUSER: "boolean",
    ENABLE_WEIGHT_SHARING: "boolean",
    ENABLE_CACHE_CLEANING: "boolean",
    ENABLE_JIT_PROFILING: "boolean",
    ENABLE_JIT_EXECUTOR: "boolean",
    INTRA_OP_THREAD_COUNT: "integer",
    INTER_OP_THREAD_COUNT: "integer",
  },
  tensorrt: {},
  openvino: {
    PERFORMANCE_HINT: ["LATENCY", "THROUGHPUT"],
    INFERENCE_NUM_THREADS: "integer",
    COMPILATION_NUM_THREADS: "integer",
    HINT_BF16: ["YES"],
    NUM_STREAMS: "text",
    SKIP_OV_DYNAMIC_BATCHSIZE: yesOrNo,
    ENABLE_BATCH_PADDING: yesOrNo,
    RESHAPE_IO_LAYERS: yesOrNo,
    TARGET_DEVICE: "text",
    CPU_EXTENSION_PATH: "text",
  },
};

/** First release, backend, and what came with it. */
const later: readonly (readonly [since: string, backend: string, parameters: AcceleratorParameters])[] = [
  ["25.05", "tensorrt", { execution_context_allocation_strategy: ["STATIC", "ON_PROFILE_CHANGE"] }],
];

/** What a backend reads from a model's `parameters` in a release; undefined for backends that are not known to say. */
export const backendParameters = (backend: string, container: string): AcceleratorParameters | undefined => {
  const own = Object.hasOwn(known, backend) ? known[backend] : undefined;
  if (own === undefined) return undefined;
  const newer = later.filter(([since, of]) => of === backend && container >= since);
  return { ...ofCore, ...own, ...Object.assign({}, ...newer.map(([, , parameters]) => parameters)) };
};
