import { type ModelConfig, parseModelConfig } from "@tritype/triton";
import type { Verdict, VerdictTensor } from "./verdict.ts";

/** A rule of the C++ ONNX Runtime backend, as the record shows it. */
export interface BackendRule {
  /** Its number in triton-rules. */
  readonly rule: string;
  readonly about: string;
  /** The server's message for a model that breaks it. */
  readonly refused?: RegExp;
  /** Whether the rule applies to a model that loads. */
  readonly accepted: (model: RecordedModel) => boolean;
  /** The reason why the record has fewer than twenty cases. */
  readonly few?: { readonly refusals?: string; readonly accepted?: string };
}

/** A verdict with its parsed configuration. */
export interface RecordedModel {
  readonly verdict: Verdict;
  readonly config: ModelConfig;
}

export const recordedModel = (verdict: Verdict): RecordedModel => {
  const read = parseModelConfig(verdict.config ?? "");
  return { verdict, config: "config" in read ? read.config : {} };
};

/** A tensor of the configuration with the graph's tensor of the same name. */
interface Pair {
  readonly declared: NonNullable<ModelConfig["input"]>[number];
  readonly given: VerdictTensor;
}

const graphInputs = ({ onnx }: Verdict): readonly VerdictTensor[] => [
  ...onnx.inputs,
  ...(onnx.initializersAsInputs ?? []),
];

const pairs = ({ verdict, config }: RecordedModel): readonly Pair[] =>
  (
    [
      [config.input ?? [], graphInputs(verdict)],
      [config.output ?? [], verdict.onnx.outputs],
    ] as const
  ).flatMap(([declared, given]) =>
    declared.flatMap((one) => {
      const found = given.find(({ name }) => name === one.name);
      return found === undefined ? [] : [{ declared: one, given: found }];
    }),
  );

const accelerators = (
  config: ModelConfig,
  kind: "cpu" | "gpu",
): readonly { readonly name?: string; readonly parameters?: object }[] =>
  config.optimization?.execution_accelerators?.[`${kind}_execution_accelerator`] ?? [];

const sessionParameter =
  /^(execution_mode|int(ra|er)_op_thread_count|enable_mem_|memory\.|cudnn_conv_|gpu_mem_limit|arena_extend_|do_copy_|session\.|optimization\.)/;

const recorded = "as many as were recorded; Triton's wheel has no C++ ONNX Runtime backend to ask for more";
const noGpu =
  "accelerators of GPU instances: the machine of the record had no GPU, so the backend did not look";
const noLibrary =
  "the record loads no library of operators: one would have to be built against its ONNX Runtime";

/** Rules 52 to 62 and 161 to 166, except 54 to 56, which are the core's: test/check/judge counts those. */
export const backendRules: readonly BackendRule[] = [
  {
    rule: "52",
    about: "an optional input",
    refused: /optional input '.*' is not supported for models that support batching/,
    accepted: ({ config }) => (config.input ?? []).some(({ optional }) => optional === true),
    few: { accepted: recorded },
  },
  {
    rule: "53",
    about: "a ragged input",
    refused: /configuration expects model provides input with shape \[-1\]\s+for ragged input/,
    accepted: ({ config }) => (config.input ?? []).some(({ allow_ragged_batch: ragged }) => ragged === true),
  },
  {
    rule: "57",
    about: "types as the graph has them",
    refused: /unsupported datatype|configuration expects datatype/,
    accepted: (model) => pairs(model).some(({ declared }) => declared.data_type !== undefined),
  },
  {
    rule: "58",
    about: "as many inputs as the graph has, counting those of the batcher",
    refused: /configuration expects \d+ inputs, model provides \d+/,
    accepted: ({ config: { input = [], batch_input = [], sequence_batching: sequence } }) =>
      input.length > 0 &&
      (batch_input.length > 0 ||
        (sequence?.control_input ?? []).length > 0 ||
        (sequence?.state ?? []).length > 0 ||
        input.length > 1),
  },
  {
    rule: "59",
    about: "names of the graph: initializers may be inputs, outputs may be left out",
    refused: /unexpected inference (input|output)/,
    accepted: ({ verdict, config: { input = [], output = [] } }) =>
      (output.length > 0 && output.length < verdict.onnx.outputs.length) ||
      input.some(({ name }) => verdict.onnx.initializersAsInputs?.some((one) => one.name === name)),
  },
  {
    rule: "60",
    about: "dims that the graph's shape takes",
    refused: /the model expects \d+ dimensions \(shape .*\) but the model configuration specifies/,
    accepted: (model) =>
      pairs(model).some(
        ({ declared, given }) =>
          declared.reshape !== undefined ||
          (given.shape ?? [])
            .slice(-(declared.dims?.length ?? 0))
            .some((size, at) => size !== declared.dims?.[at]),
      ),
  },
  {
    rule: "61",
    about: "an open first dim of every tensor, to batch",
    refused: /for the model to support batching|model does not support batching/,
    accepted: ({ config }) => (config.max_batch_size ?? 0) > 0,
  },
  {
    rule: "62",
    about: "scalars",
    refused: /scalar tensor '.*', should only provide 1/,
    accepted: (model) =>
      pairs(model).some(
        ({ declared, given }) => declared.dims !== undefined && (given.shape ?? []).length === 0,
      ),
    few: { refusals: recorded },
  },
  {
    rule: "161",
    about: "accelerators",
    refused: /unknown Execution Accelerator/,
    accepted: ({ config }) => accelerators(config, "gpu").length > 0,
  },
  {
    rule: "162",
    about: "parameters of TensorRT",
    accepted: ({ config }) =>
      accelerators(config, "gpu").some(
        ({ name, parameters }) => name === "tensorrt" && parameters !== undefined,
      ),
    few: { refusals: noGpu, accepted: noGpu },
  },
  {
    rule: "163",
    about: "parameters of CUDA",
    accepted: ({ config }) =>
      accelerators(config, "gpu").some(({ name, parameters }) => name === "cuda" && parameters !== undefined),
    few: { refusals: noGpu, accepted: noGpu },
  },
  {
    rule: "164",
    about: "parameters of the session",
    refused:
      /failed to convert '.*' to (integral number|boolean)|Invalid configuration value provided|unsupported (cudnn_conv_algo_search|arena_extend_strategy) value/,
    accepted: ({ config }) => Object.keys(config.parameters ?? {}).some((key) => sessionParameter.test(key)),
  },
  {
    rule: "165",
    about: "the model's file",
    refused: /unable to find '.*' for model instance|failed to stat file .*\.onnx/,
    accepted: ({ verdict, config }) =>
      verdict.files !== undefined || config.default_model_filename !== undefined,
    few: { refusals: recorded },
  },
  {
    rule: "166",
    about: "libraries of operators",
    refused: /Failed to load library/,
    accepted: ({ config }) => (config.model_operations?.op_library_filename ?? []).length > 0,
    few: { refusals: noLibrary, accepted: noLibrary },
  },
];
