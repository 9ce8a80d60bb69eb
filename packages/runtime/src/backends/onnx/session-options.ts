import { PipelineError } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { InferenceSession } from "onnxruntime-node";
import type { InstanceDevice } from "./instance-plan.ts";

/**
 * Session options from the `parameters` and `optimization` that Triton's ONNX Runtime backend reads.
 * @param threads Threads of one run where the configuration names none.
 * @throws PipelineError `repository/invalid` with Triton's text.
 */
export const sessionOptions = (
  config: ModelConfig,
  device: InstanceDevice,
  threads: number,
): InferenceSession.SessionOptions => {
  const integer = (name: string): number | undefined => {
    const text = config.parameters?.[name]?.string_value;
    if (text === undefined) return undefined;
    const value = Number.parseInt(text, 10);
    if (Number.isNaN(value)) throw invalid(`failed to convert '${text}' to integral number`);
    return value;
  };
  const boolean = (name: string): boolean | undefined => {
    const text = config.parameters?.[name]?.string_value;
    if (text === undefined) return undefined;
    const value = booleans[text.toLowerCase()];
    if (value === undefined) throw invalid(`failed to convert '${text}' to boolean`);
    return value;
  };
  const mode = integer("execution_mode") ?? 0;
  if (mode !== 0 && mode !== 1)
    throw invalid(
      `Invalid configuration value provided. Expected values for execution_mode are 0 or 1 but got ${mode} .`,
    );
  return {
    executionProviders: device.kind === "cuda" ? [{ name: "cuda", deviceId: device.deviceId }] : ["cpu"],
    intraOpNumThreads: positive(integer("intra_op_thread_count")) ?? threads,
    interOpNumThreads: positive(integer("inter_op_thread_count")) ?? 1,
    executionMode: mode === 1 ? "parallel" : "sequential",
    graphOptimizationLevel: optimizationLevel(config.optimization?.graph?.level ?? 0),
    enableCpuMemArena: boolean("enable_mem_arena") ?? true,
    enableMemPattern: boolean("enable_mem_pattern") ?? true,
    // Each model has a pool of its own: pools that spin take the cores from the model that runs.
    extra: { session: { intra_op: { allow_spinning: "0" }, inter_op: { allow_spinning: "0" } } },
    // Errors still come as exceptions; this only keeps ONNX Runtime from writing to the terminal.
    logSeverityLevel: 4,
  };
};

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  on: true,
  "1": true,
  false: false,
  off: false,
  "0": false,
};

const positive = (value: number | undefined): number | undefined =>
  value === undefined || value < 1 ? undefined : value;

const optimizationLevel = (level: number): "basic" | "extended" | "all" =>
  level === -1 ? "basic" : level === 1 ? "extended" : "all";

const invalid = (text: string): PipelineError => new PipelineError("repository/invalid", text);
