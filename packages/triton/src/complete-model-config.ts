import type { ModelConfig, ModelInstanceGroup } from "./generated/model-config.ts";
import { inferBackend } from "./infer-backend.ts";

/** The core's information about a model in addition to its config. */
export interface ModelSurroundings {
  /** Name of the model's folder; fills an absent `name`. */
  readonly folder?: string;
  /** Names in its first version folder; an absent backend is inferred from them. */
  readonly versionFiles?: readonly string[];
  /** Ids of the usable GPUs. Default: none. */
  readonly gpus?: readonly number[];
  /** For an ensemble: whether one of its steps is decoupled. Default: no. */
  readonly decoupledStep?: boolean;
}

/**
 * The config as the core completes it at load, even with `--disable-auto-complete-config`. It adds only the following
 * fields:
 *
 * | Field | When | Becomes |
 * |---|---|---|
 * | `name` | absent | the folder's name |
 * | `backend`, `platform`, `default_model_filename` | absent | {@link inferBackend} |
 * | `version_policy` | absent | `latest { num_versions: 1 }` |
 * | `dynamic_batching.preferred_batch_size` | empty, batched | `[max_batch_size]` |
 * | `sequence_batching.oldest.preferred_batch_size` | empty, batched | `[max_batch_size]` |
 * | `sequence_batching.max_sequence_idle_microseconds` | absent or 0 | 1,000,000 |
 * | `optimization.input_pinned_memory`, `output_pinned_memory` | absent, not an ensemble | `{ enable: true }` |
 * | `instance_group` | empty, not an ensemble | one group with the model's name |
 * | `instance_group[i].name` | absent | `<model>_<i>` |
 * | `instance_group[i].kind` | absent or KIND_AUTO | KIND_GPU if there are GPUs, including all of its `gpus`;
 * otherwise KIND_CPU |
 * | `instance_group[i].count` | below 1 | 2 for KIND_CPU on onnxruntime and tensorflow, otherwise 1 |
 * | `instance_group[i].gpus` | empty, KIND_GPU | all GPUs |
 * | `model_transaction_policy.decoupled` | ensemble | whether a step is decoupled |
 *
 * Source: core `model_config_utils.cc` (NormalizeModelConfig, NormalizeInstanceGroup), measured on 24.10.
 */
export const completeModelConfig = (
  config: ModelConfig,
  surroundings: ModelSurroundings = {},
): ModelConfig => {
  const name = config.name || surroundings.folder;
  const named = { ...config, ...(name ? { name } : {}) };
  const typed = inferBackend(named, surroundings.versionFiles ?? []);
  const scheduled = completeSchedulers({ version_policy: { latest: { num_versions: 1 } }, ...typed });
  return scheduled.ensemble_scheduling
    ? { ...scheduled, model_transaction_policy: { decoupled: surroundings.decoupledStep ?? false } }
    : completeExecution(scheduled, surroundings.gpus ?? []);
};

const completeSchedulers = (config: ModelConfig): ModelConfig => {
  const { dynamic_batching: dynamic, sequence_batching: sequence, max_batch_size: largest = 0 } = config;
  const preferred = <T extends { readonly preferred_batch_size?: readonly number[] }>(scheduler: T): T =>
    largest > 0 && !scheduler.preferred_batch_size?.length
      ? { ...scheduler, preferred_batch_size: [largest] }
      : scheduler;
  if (dynamic) return { ...config, dynamic_batching: preferred(dynamic) };
  if (!sequence) return config;
  return {
    ...config,
    sequence_batching: {
      ...sequence,
      max_sequence_idle_microseconds: sequence.max_sequence_idle_microseconds || 1_000_000,
      ...(sequence.oldest ? { oldest: preferred(sequence.oldest) } : {}),
    },
  };
};

const completeExecution = (config: ModelConfig, gpus: readonly number[]): ModelConfig => {
  const { name = "", instance_group: groups } = config;
  const given = groups?.length ? groups : [{ name }];
  return {
    ...config,
    optimization: {
      input_pinned_memory: { enable: true },
      output_pinned_memory: { enable: true },
      ...config.optimization,
    },
    instance_group: given.map((group, i) => completeGroup(group, `${name}_${i}`, config.backend ?? "", gpus)),
  };
};

const cpuInstances: ReadonlyMap<string, number> = new Map([
  ["onnxruntime", 2],
  ["tensorflow", 2],
]);

const completeGroup = (
  group: ModelInstanceGroup,
  name: string,
  backend: string,
  gpus: readonly number[],
): ModelInstanceGroup => {
  const { kind: wanted = "KIND_AUTO", count = 0, gpus: own = [] } = group;
  const onGpu = gpus.length > 0 && own.every((gpu) => gpus.includes(gpu));
  const kind = wanted === "KIND_AUTO" ? (onGpu ? "KIND_GPU" : "KIND_CPU") : wanted;
  const fallback = (kind === "KIND_CPU" ? cpuInstances.get(backend) : undefined) ?? 1;
  return {
    ...group,
    name: group.name || name,
    kind,
    count: count < 1 ? fallback : count,
    ...(kind === "KIND_GPU" && own.length === 0 && gpus.length > 0 ? { gpus } : {}),
  };
};
