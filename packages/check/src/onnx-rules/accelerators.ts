import { didYouMean } from "@tritype/core";
import type { FieldPath, ModelContext } from "../model-context.ts";
import { modelRule, type Rule } from "../rule.ts";
import { isBoolean, readInteger } from "./parameter-value.ts";
import { onGpu } from "./session-parameters.ts";

/** The first releases of what newer backends have. Source: the release branches of Triton's onnxruntime_backend. */
const since = { manyParameters: "24.04", cuda: "24.06", bfloat16: "26.02" };

const gpuNamesOf = (container: string): readonly string[] =>
  container < since.cuda ? ["tensorrt"] : ["tensorrt", "cuda"];
const officialCpuNames = ["openvino"];

interface PlacedAccelerator {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly path: FieldPath;
}

type Side = "gpu_execution_accelerator" | "cpu_execution_accelerator";

const acceleratorsOf = ({ config }: ModelContext, side: Side): readonly PlacedAccelerator[] => {
  if (config.backend !== "onnxruntime") return [];
  const all = config.optimization?.execution_accelerators?.[side] ?? [];
  return all.map(({ name = "", parameters = {} }, index) => ({
    name,
    parameters,
    path: ["optimization", "execution_accelerators", side, index],
  }));
};

const gpuAccelerators = (model: ModelContext): readonly PlacedAccelerator[] =>
  onGpu(model) ? acceleratorsOf(model, "gpu_execution_accelerator") : [];

const unknown = modelRule(
  {
    code: "accelerator/unknown",
    triton: ["161"],
    severity: "error",
    judged: "recorded",
    message:
      "`{model}` asks for the {device} accelerator `{name}`, which the server's ONNX Runtime backend does not have: {known}",
    reason:
      "Accelerator names are compared exactly; GPU accelerators are looked at for KIND_GPU instances only.",
  },
  (model, report) => {
    const check = (device: string, found: readonly PlacedAccelerator[], known: readonly string[]) => {
      for (const { name, path } of found) {
        if (known.includes(name)) continue;
        const near = didYouMean(name, known);
        report({
          with: { model: model.name, device, name, known: known.join(", ") || "it has none" },
          labels: [model.at([...path, "name"], "here")],
          ...(near === undefined ? {} : { help: `did you mean \`${near}\`?` }),
        });
      }
    };
    const cpuNames = model.options.installed?.cpuAccelerators ?? officialCpuNames;
    check("GPU", gpuAccelerators(model), gpuNamesOf(model.options.release.container));
    check("CPU", acceleratorsOf(model, "cpu_execution_accelerator"), cpuNames);
  },
);

type ValueKind = "integer" | "boolean" | "text" | readonly string[];

/** Source: `ModelState::LoadModel` of Triton's onnxruntime_backend. */
const tensorrtParameters: Readonly<Record<string, ValueKind>> = {
  precision_mode: ["FP32", "FP16", "INT8"],
  max_workspace_size_bytes: "integer",
  trt_max_partition_iterations: "integer",
  trt_min_subgraph_size: "integer",
  int8_calibration_table_name: "text",
  int8_use_native_calibration_table: "boolean",
  trt_dla_enable: "boolean",
  trt_dla_core: "integer",
  trt_engine_cache_enable: "boolean",
  trt_engine_cache_path: "text",
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
};

const oldParameters: readonly string[] = [
  "precision_mode",
  "max_workspace_size_bytes",
  "int8_calibration_table_name",
  "int8_use_native_calibration_table",
  "trt_engine_cache_enable",
  "trt_engine_cache_path",
];

const tensorrtNames = (container: string): readonly string[] =>
  container < since.manyParameters ? oldParameters : Object.keys(tensorrtParameters);

const unknownParameter = modelRule(
  {
    code: "accelerator/tensorrt-unknown-parameter",
    triton: ["162"],
    severity: "error",
    judged: "source",
    message: "the tensorrt accelerator of `{model}` has no parameter `{key}`",
    reason: "The backend knows the parameters of the TensorRT accelerator by name and refuses others.",
  },
  (model, report) => {
    const known = tensorrtNames(model.options.release.container);
    for (const { name, parameters, path } of gpuAccelerators(model))
      for (const key of name === "tensorrt" ? Object.keys(parameters) : []) {
        if (known.includes(key)) continue;
        const near = didYouMean(key, known);
        report({
          with: { model: model.name, key },
          labels: [model.at([...path, "parameters", key], "here")],
          ...(near === undefined ? {} : { help: `did you mean \`${near}\`?` }),
        });
      }
  },
);

const cudaParameters: Readonly<Record<string, ValueKind>> = {
  do_copy_in_default_stream: "boolean",
  use_ep_level_unified_stream: "boolean",
};

const wrongValue = modelRule(
  {
    code: "accelerator/parameter-value",
    triton: ["162", "163"],
    severity: "error",
    judged: "source",
    message: "parameter `{key}` of the {name} accelerator of `{model}` is `{value}`; it has to be {wanted}",
    reason: "All values are strings, and the backend reads them before it hands them to ONNX Runtime.",
  },
  (model, report) => {
    const known = {
      tensorrt: tensorrtParameters,
      cuda: cudaParameters,
    } as Readonly<Record<string, typeof tensorrtParameters>>;
    for (const { name, parameters, path } of gpuAccelerators(model))
      for (const [key, value] of Object.entries(parameters)) {
        const kinds = Object.hasOwn(known, name) ? known[name] : undefined;
        const kind = kinds !== undefined && Object.hasOwn(kinds, key) ? kinds[key] : undefined;
        if (kind === undefined || isOfKind(value, kind, model.options.release.container)) continue;
        report({
          with: { model: model.name, name, key, value, wanted: wantedOf(kind) },
          labels: [model.at([...path, "parameters", key], "here")],
        });
      }
  },
);

const isOfKind = (value: string, kind: ValueKind, container: string): boolean => {
  if (kind === "text") return true;
  if (kind === "boolean") return isBoolean(value);
  if (kind === "integer") return readInteger(value) !== undefined;
  return kind.includes(value) || (value === "BF16" && container >= since.bfloat16);
};

const wantedOf = (kind: ValueKind): string => {
  if (typeof kind !== "string") return kind.join(", ");
  return kind === "integer" ? "a whole number" : "true or false";
};

/** `execution_accelerators` of the ONNX Runtime backend; other backends ignore them. */
export const acceleratorRules: readonly Rule[] = [unknown, unknownParameter, wrongValue];
