import { didYouMean, ownValue } from "@tritype/core";
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

/** The field for ONNX Runtime's level of graph optimizations, which other servers have among the parameters. */
export const graphLevel = "optimization.graph.level";

/**
 * The parameter that a misspelt name probably means, or `graphLevel`; undefined for a name that the backend has, or that may be the
 * author's own: clients can read all parameters in the model's configuration.
 */
export const meantParameter = (backend: string, name: string, container: string): string | undefined => {
  if (backend === "onnxruntime" && meansGraphLevel(name)) return graphLevel;
  const known = Object.hasOwn(among, backend)
    ? (among[backend] ?? [])
    : Object.keys(backendParameters(backend, container) ?? {});
  if (known.includes(name) || name.length < shortestName) return undefined;
  return didYouMean(name, known) ?? sameWords(name, known);
};

const meansGraphLevel = (name: string): boolean => {
  const words = wordsOf(name);
  return words.size > 1 && words.has("optimization") && [...words].every((word) => ofGraphLevel.has(word));
};

const ofGraphLevel: ReadonlySet<string> = new Set(["graph", "level", "optimization", "session"]);

/** A shorter name with one changed letter may be another word. */
const shortestName = 6;

/** The only candidate that has all words of the name or of which the name has all: `intra_op_num_threads`. */
const sameWords = (name: string, candidates: readonly string[]): string | undefined => {
  const given = wordsOf(name);
  const [only, ...others] = candidates.filter((candidate) => {
    const words = wordsOf(candidate);
    const [few, many] = given.size < words.size ? [given, words] : [words, given];
    return few.size > 1 && [...few].every((word) => many.has(word));
  });
  return others.length === 0 ? only : undefined;
};

/** The words that carry the meaning: `threads`, `num_threads` and `thread_count` are the same. */
const wordsOf = (name: string): ReadonlySet<string> =>
  new Set(
    name
      .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .split(/[_.]/)
      .map((word) => word.replace(/s$/, ""))
      .filter((word) => !/^(?:num|number|of|count|)$/.test(word)),
  );

/** First release, backend, and the parameters that it added. */
const later: readonly (readonly [since: string, backend: string, parameters: AcceleratorParameters])[] = [
  ["25.05", "tensorrt", { execution_context_allocation_strategy: ["STATIC", "ON_PROFILE_CHANGE"] }],
];

/**
 * The names that a backend reads from a model's `parameters` in a release; undefined for backends whose parameters are
 * unknown.
 */
export const backendParameters = (backend: string, container: string): AcceleratorParameters | undefined => {
  const own = ownValue(known, backend);
  if (own === undefined) return undefined;
  const newer = later.filter(([since, of]) => of === backend && container >= since);
  return { ...ofCore, ...own, ...Object.assign({}, ...newer.map(([, , parameters]) => parameters)) };
};
