import { didYouMean, nearHelp } from "@tritype/core";
import { isBoolean, readInteger } from "./parameter-value.ts";

/** The type of an accelerator's parameter; all are written as strings. A list means that only these words are allowed. */
export type AcceleratorValue = "integer" | "boolean" | "text" | readonly string[];
/** Name of a parameter → its type. */
export type AcceleratorParameters = Readonly<Record<string, AcceleratorValue>>;

/** An accelerator of Triton's ONNX Runtime backend. */
export interface OnnxAccelerator {
  /** Whether it is listed under `gpu_execution_accelerator` or under `cpu_execution_accelerator`. */
  readonly side: "gpu" | "cpu";
  /** First release that has it; default: all. */
  readonly since?: string;
  readonly parameters: AcceleratorParameters;
  /** Parameters that the backend reads here, but then overwrites with the model's own `parameters` or their defaults. */
  readonly overwritten: AcceleratorParameters;
  /**
   * ONNX Runtime's names for options that the backend names differently → the backend's name, with the value if it is
   * fixed.
   */
  readonly translated: Readonly<Record<string, string>>;
  /** Known names whose values are not checked. */
  readonly reserved: readonly string[];
}

/** The first releases of newer backends' additions. Source: the release branches of Triton's `onnxruntime_backend`. */
const since = { tensorrtParameters: "24.04", cuda: "24.06", bfloat16: "26.02" };

/** `precision_mode` is the backend's own name; it translates the other names that do not begin with `trt_`. */
const firstTensorrt = {
  precision_mode: ["FP32", "FP16", "INT8"],
  max_workspace_size_bytes: "integer",
  int8_calibration_table_name: "text",
  int8_use_native_calibration_table: "boolean",
  trt_engine_cache_enable: "boolean",
  trt_engine_cache_path: "text",
} as const satisfies AcceleratorParameters;

const translatedTensorrt = {
  trt_fp16_enable: 'precision_mode: "FP16"',
  trt_bf16_enable: 'precision_mode: "BF16"',
  trt_int8_enable: 'precision_mode: "INT8"',
  trt_max_workspace_size: "max_workspace_size_bytes",
  trt_int8_calibration_table_name: "int8_calibration_table_name",
  trt_int8_use_native_calibration_table: "int8_use_native_calibration_table",
};

const laterTensorrt = {
  trt_max_partition_iterations: "integer",
  trt_min_subgraph_size: "integer",
  trt_dla_enable: "boolean",
  trt_dla_core: "integer",
  trt_engine_cache_prefix: "text",
  trt_dump_subgraphs: "boolean",
  trt_force_sequential_engine_build: "boolean",
  trt_context_memory_sharing_enable: "boolean",
  trt_layer_norm_fp32_fallback: "boolean",
  trt_timing_cache_enable: "boolean",
  trt_timing_cache_path: "text",
  trt_force_timing_cache: "boolean",
  trt_detailed_build_log: "boolean",
  trt_build_heuristics_enable: "boolean",
  trt_sparsity_enable: "boolean",
  trt_builder_optimization_level: "integer",
  trt_auxiliary_streams: "integer",
  trt_tactic_sources: "text",
  trt_extra_plugin_lib_paths: "text",
  trt_profile_min_shapes: "text",
  trt_profile_max_shapes: "text",
  trt_profile_opt_shapes: "text",
  trt_cuda_graph_enable: "boolean",
  trt_dump_ep_context_model: "boolean",
  trt_ep_context_file_path: "text",
  trt_ep_context_embed_mode: "integer",
} as const satisfies AcceleratorParameters;

/** TensorRT's parameters in the newest backend. */
export const tensorrtParameters: AcceleratorParameters = { ...firstTensorrt, ...laterTensorrt };

/** The backend reads the first; it passes the others to ONNX Runtime, which refuses unknown names (as of 1.24). */
const cuda = {
  use_ep_level_unified_stream: "boolean",
  cudnn_conv_use_max_workspace: "text",
  cudnn_conv1d_pad_to_nc1d: "text",
  enable_cuda_graph: "text",
  enable_skip_layer_norm_strict_mode: "text",
  fuse_conv_bias: "text",
  prefer_nhwc: "text",
  sdpa_kernel: "text",
  tunable_op_enable: "text",
  tunable_op_max_tuning_duration_ms: "text",
  tunable_op_tuning_enable: "text",
  use_tf32: "text",
} as const satisfies AcceleratorParameters;

/**
 * Options of ONNX Runtime's CUDA provider that the backend sets after it has read the accelerator's options, from the
 * model's own `parameters` of the same name, or to their defaults. Source: `ModelState::LoadModel` of Triton's
 * `onnxruntime_backend`, 24.06 to 26.06.
 */
const overwrittenCuda = {
  do_copy_in_default_stream: "boolean",
  gpu_mem_limit: "text",
  arena_extend_strategy: "text",
  cudnn_conv_algo_search: "text",
} as const satisfies AcceleratorParameters;

/** Options that the backend itself sets, or that only a program can set, such as memory addresses. */
const ofBackend: readonly string[] = [
  "device_id",
  "has_user_compute_stream",
  "user_compute_stream",
  "default_memory_arena_cfg",
  "gpu_external_alloc",
  "gpu_external_free",
  "gpu_external_empty_cache",
];

const tables = new Map<string, ReadonlyMap<string, OnnxAccelerator>>();

/** The accelerators of a release's backend, by name. Source: `ModelState::LoadModel` of Triton's `onnxruntime_backend`. */
export const onnxAccelerators = (container: string): ReadonlyMap<string, OnnxAccelerator> => {
  const table = tables.get(container) ?? tableOf(container);
  tables.set(container, table);
  return table;
};

const tableOf = (container: string): ReadonlyMap<string, OnnxAccelerator> => {
  const modes = container < since.bfloat16 ? [] : ["BF16"];
  const tensorrt = {
    ...firstTensorrt,
    precision_mode: [...firstTensorrt.precision_mode, ...modes],
    ...(container < since.tensorrtParameters ? {} : laterTensorrt),
  };
  const all: readonly (readonly [string, OnnxAccelerator])[] = [
    [
      "tensorrt",
      { side: "gpu", parameters: tensorrt, overwritten: {}, translated: translatedTensorrt, reserved: [] },
    ],
    [
      "cuda",
      {
        side: "gpu",
        since: since.cuda,
        parameters: cuda,
        overwritten: overwrittenCuda,
        translated: {},
        reserved: ofBackend,
      },
    ],
    // The backend sets the device and does not read any parameters.
    ["openvino", { side: "cpu", parameters: {}, overwritten: {}, translated: {}, reserved: [] }],
  ];
  return new Map(all.filter(([, { since: first = "" }]) => container >= first));
};

/** The expected value in words; undefined if the value is valid. */
export const acceleratorValueProblem = (value: string, kind: AcceleratorValue): string | undefined => {
  if (kind === "text") return undefined;
  if (kind === "boolean") return isBoolean(value) ? undefined : "true or false";
  if (kind === "integer") return readInteger(value) === undefined ? "a whole number" : undefined;
  return kind.includes(value) ? undefined : `one of ${kind.join(", ")}`;
};

/** A suggestion for an unknown parameter name, as a sentence; undefined if there is none. */
export const acceleratorParameterHelp = (
  { parameters, translated }: OnnxAccelerator,
  name: string,
): string | undefined => {
  if (Object.hasOwn(translated, name)) return `Triton calls it \`${translated[name]}\``;
  return nearHelp(didYouMean(name, Object.keys(parameters)));
};
