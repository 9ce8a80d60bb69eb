import { isBoolean, readInteger } from "@tritype/triton";
import type { ModelContext } from "../../model-context.ts";
import { modelRule, type Rule } from "../../rule.ts";

/** A parameter of an ONNX model; "" if it is not a string. */
export const parameterOf = ({ config }: ModelContext, key: string): string | undefined => {
  const { backend, parameters = {} } = config;
  if (backend !== "onnxruntime" || !Object.hasOwn(parameters, key)) return undefined;
  return parameters[key]?.string_value ?? "";
};

const integers = ["execution_mode", "intra_op_thread_count", "inter_op_thread_count"] as const;
const booleans = ["enable_mem_arena", "enable_mem_pattern"] as const;

const unreadable = modelRule(
  {
    code: "backend/onnx-parameter",
    triton: ["164"],
    judged: "recorded",
    words: "failed to convert '{value}' to {kind}",
    message: "parameter `{key}` of `{model}` is `{value}`, which is not a {wanted}",
    help: "write it as text, such as `{example}`",
    reason:
      "The ONNX Runtime backend reads its options from the strings under `parameters` when it loads the model.",
  },
  (model, report) => {
    const check = (
      key: string,
      kind: string,
      wanted: string,
      example: string,
      isRead: (value: string) => boolean,
    ) => {
      const value = parameterOf(model, key);
      if (value === undefined || isRead(value)) return;
      report(model.at(["parameters", key], "here"), { key, value, kind, wanted, example });
    };
    for (const key of integers)
      check(key, "integral number", "whole number", "1", (value) => readInteger(value) !== undefined);
    for (const key of booleans) check(key, "boolean", "boolean", "true", isBoolean);
  },
);

const executionMode = modelRule(
  {
    code: "backend/onnx-execution-mode",
    triton: ["164"],
    judged: "recorded",
    words:
      "Invalid configuration value provided. Expected values for  execution_mode are 0 or 1 but got {value} .",
    message: "parameter `execution_mode` of `{model}` is {value}; it must be 0 (sequential) or 1 (parallel)",
    reason: "ONNX Runtime only has these two execution modes.",
  },
  (model, report) => {
    const value = readInteger(parameterOf(model, "execution_mode") ?? "");
    if (value === undefined || value === 0n || value === 1n || !fitsInt(value)) return;
    report(model.at(["parameters", "execution_mode"], "here"), { value: String(value) });
  },
);

const fitsInt = (value: bigint): boolean => BigInt.asIntN(32, value) === value;

const tooLarge = modelRule(
  {
    code: "backend/onnx-parameter-range",
    triton: ["164"],
    judged: "recorded",
    message:
      "parameter `{key}` of `{model}` is {value}, which does not fit into 32 bits and crashes the server",
    help: "write a small number; 0 lets ONNX Runtime choose the threads",
    reason:
      "The backend does not catch the overflow, so tritonserver aborts and no longer serves any of its models.",
  },
  (model, report) => {
    for (const key of integers) {
      const value = readInteger(parameterOf(model, key) ?? "");
      if (value === undefined || fitsInt(value)) continue;
      report(model.at(["parameters", key], "here"), { key, value: String(value) });
    }
  },
);

/** The maximum number of characters that newer ONNX Runtimes accept for one entry in the run options. */
const longestEntry = 8192;

const tooLong = modelRule(
  {
    code: "backend/onnx-parameter-length",
    triton: ["164"],
    judged: "recorded",
    message:
      "parameter `{key}` of `{model}` has {length} characters, more than ONNX Runtime accepts, which crashes the server",
    help: "write devices such as `cpu:0;gpu:0`",
    reason:
      "The backend does not catch ONNX Runtime's refusal, so tritonserver aborts and no longer serves any of its models.",
  },
  (model, report) => {
    const key = "memory.enable_memory_arena_shrinkage";
    const length = parameterOf(model, key)?.length ?? 0;
    if (length > longestEntry) report(model.at(["parameters", key], "here"), { key, length });
  },
);

const gpuRanges: Readonly<Record<string, readonly [most: bigint, meaning: string]>> = {
  cudnn_conv_algo_search: [2n, "0 (exhaustive), 1 (heuristic) or 2 (default)"],
  arena_extend_strategy: [1n, "0 (next power of two) or 1 (same as requested)"],
};

const gpuOptions = modelRule(
  {
    code: "backend/onnx-gpu-parameter",
    triton: ["164"],
    judged: "source",
    message: "parameter `{key}` of `{model}` is `{value}`; it must be {meaning}",
    reason:
      "The backend turns the number into an option of the CUDA execution provider; it only applies to KIND_GPU instances.",
  },
  (model, report) => {
    if (!onGpu(model)) return;
    for (const [key, [most, meaning]] of Object.entries(gpuRanges)) {
      const value = parameterOf(model, key);
      if (value === undefined) continue;
      const number = readInteger(value);
      if (number !== undefined && number >= 0n && number <= most) continue;
      report(model.at(["parameters", key], "here"), { key, value, meaning });
    }
  },
);

/** Whether an instance runs on a GPU, or may do so on some of the servers that the repository is checked for. */
export const onGpu = ({ config, written, options }: ModelContext): boolean =>
  config.instance_group?.some(({ kind }) => kind === "KIND_GPU") === true ||
  (options.anyServer === true && written.instance_group?.some(({ kind }) => kind === "KIND_AUTO") === true);

/** `parameters` that the ONNX Runtime backend reads; it ignores unknown ones. */
export const sessionParameterRules: readonly Rule[] = [
  unreadable,
  executionMode,
  tooLarge,
  tooLong,
  gpuOptions,
];
