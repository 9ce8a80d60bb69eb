import type { ModelConfig } from "@tritype/triton";
import type { InferenceSession } from "onnxruntime-node";
import { gpuProviders } from "./cuda/gpu-providers.ts";
import type { InstanceDevice } from "./instance-plan.ts";
import { booleanOf, integerOf, invalidParameter } from "./parameter-values.ts";

/**
 * Session options from the `parameters` and `optimization` that Triton's ONNX Runtime backend reads.
 * @param threads Threads of one run if the configuration does not set them.
 * @throws PipelineError `repository/invalid` with Triton's message.
 */
export const sessionOptions = (
  config: ModelConfig,
  device: InstanceDevice,
  threads: number,
): InferenceSession.SessionOptions => {
  const parameter = <T>(name: string, read: (text: string) => T): T | undefined => {
    const text = config.parameters?.[name]?.string_value;
    return text === undefined ? undefined : read(text);
  };
  const integer = (name: string): number | undefined => parameter(name, (text) => integerOf(text));
  const boolean = (name: string): boolean | undefined => parameter(name, booleanOf);
  const mode = integer("execution_mode") ?? 0;
  if (mode !== 0 && mode !== 1)
    throw invalidParameter(
      `Invalid configuration value provided. Expected values for execution_mode are 0 or 1 but got ${mode} .`,
    );
  const onDevice = parameter("session.use_device_allocator_for_initializers", (text) => ({
    use_device_allocator_for_initializers: text,
  }));
  return {
    executionProviders:
      device.kind === "cuda"
        ? gpuProviders(config, device).map(({ name, deviceId, options }) => ({ name, deviceId, ...options }))
        : ["cpu"],
    intraOpNumThreads: positive(integer("intra_op_thread_count")) ?? threads,
    interOpNumThreads: positive(integer("inter_op_thread_count")) ?? 1,
    executionMode: mode === 1 ? "parallel" : "sequential",
    graphOptimizationLevel: optimizationLevel(config.optimization?.graph?.level ?? 0),
    enableCpuMemArena: boolean("enable_mem_arena") ?? true,
    enableMemPattern: boolean("enable_mem_pattern") ?? true,
    // A thread spins between two operators, but not until the next run: each model has its own pool, and spinning pools take
    // processors away from the model that runs.
    extra: {
      session: {
        intra_op: { allow_spinning: "1", spin_duration_us: "20" },
        inter_op: { allow_spinning: "0" },
        ...onDevice,
      },
    },
    // Errors are still thrown as exceptions; this only keeps ONNX Runtime from writing to the terminal.
    logSeverityLevel: 4,
  };
};

const positive = (value: number | undefined): number | undefined =>
  value === undefined || value < 1 ? undefined : value;

const optimizationLevel = (level: number): "basic" | "extended" | "all" =>
  level === -1 ? "basic" : level === 1 ? "extended" : "all";
