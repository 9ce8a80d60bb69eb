import { didYouMean } from "@tritype/core";
import type { AcceleratorParameters } from "./accelerators.ts";

const yesOrNo = ["YES", "NO"] as const;

/** The parameters that Triton core reads for models of any C++ backend. Source: `backend_model.cc` of Triton core. */
const ofCore = { TRITON_BATCH_STRATEGY_PATH: "text" } as const satisfies AcceleratorParameters;

/**
 * The `parameters` that a backend reads, by the backend's name; unlisted backends may read any. Unknown ones are
 * silently ignored. Source: `ParseParameters` of `pytorch_backend`, `tensorrt_backend` and `openvino_backend`.
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

/**
 * Parameter names of backends that may read additional ones, now or in a later release: only a near match counts as a
 * mistake. Source: `onnxruntime.cc` of `onnxruntime_backend`, `shared_state.h` of `fil_backend`.
 */
const among: Readonly<Record<string, readonly string[]>> = {
  onnxruntime: [
    "execution_mode",
    "intra_op_thread_count",
    "inter_op_thread_count",
    "enable_mem_arena",
    "enable_mem_pattern",
    "memory.enable_memory_arena_shrinkage",
    "session.use_device_allocator_for_initializers",
    "share_session_between_instances",
    "cudnn_conv_algo_search",
    "gpu_mem_limit",
    "arena_extend_strategy",
    "do_copy_in_default_stream",
  ],
  fil: [
    "model_type",
    "predict_proba",
    "output_class",
    "threshold",
    "storage_type",
    "algo",
    "blocks_per_sm",
    "threads_per_tree",
    "is_classifier",
    "layout",
    "chunk_size",
    "cpu_nthread",
    "transfer_threshold",
    "use_experimental_optimizations",
    "xgboost_allow_unknown_field",
  ],
};

/**
 * The parameter that a misspelt name probably means, for backends that may read other names too; undefined if the name
 * may be correct.
 */
export const meantParameter = (backend: string, name: string): string | undefined => {
  const names = Object.hasOwn(among, backend) ? (among[backend] ?? []) : [];
  return names.includes(name) || name.length < shortestName ? undefined : didYouMean(name, names);
};

/** A shorter name with one changed letter may be another word. */
const shortestName = 6;

/** First release, backend, and the parameters that it added. */
const later: readonly (readonly [since: string, backend: string, parameters: AcceleratorParameters])[] = [
  ["25.05", "tensorrt", { execution_context_allocation_strategy: ["STATIC", "ON_PROFILE_CHANGE"] }],
];

/**
 * The names that a backend reads from a model's `parameters` in a release; undefined for backends whose parameters are
 * unknown.
 */
export const backendParameters = (backend: string, container: string): AcceleratorParameters | undefined => {
  const own = Object.hasOwn(known, backend) ? known[backend] : undefined;
  if (own === undefined) return undefined;
  const newer = later.filter(([since, of]) => of === backend && container >= since);
  return { ...ofCore, ...own, ...Object.assign({}, ...newer.map(([, , parameters]) => parameters)) };
};
