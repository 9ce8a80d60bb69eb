import type { StepRecord } from "@tritype/dsl";
import { type CompiledProject, reachable } from "@tritype/project";
import { isOnnx, type ModelConfig } from "@tritype/triton";
import type { TunedEnsemble, TunedStep } from "@tritype/tune";

type Fields = Readonly<Record<string, unknown>>;

/**
 * An ensemble and the steps that it calls, with their current configuration. @param configOf The configuration of a model that is
 * currently served; undefined if there is no model with that name. @param profile The profile whose settings are the starting
 * point.
 */
export const tunedEnsemble = (
  { records, compilation }: Pick<CompiledProject, "records" | "compilation">,
  name: string,
  profile: string | undefined,
  configOf: (model: string) => ModelConfig | undefined,
): TunedEnsemble => {
  const record = records.find((one) => one.name === name);
  const called = reachable(record === undefined ? [] : [record]).filter(({ trace }) => trace === undefined);
  const fused = new Set(
    compilation.build?.manifest.models.flatMap((model) => (model.fused === undefined ? [] : [model.name])),
  );
  const steps = called.flatMap((step) => {
    const config = configOf(step.name);
    return config === undefined
      ? []
      : [{ ...tunedStep(step, config, profile), isFused: fused.has(step.name) }];
  });
  const tokenizers = called.filter(({ kind }) => kind === "tokenizer");
  const own = new Set(called.map((step) => step.name));
  const members = configOf(name)?.ensemble_scheduling?.step ?? [];
  return {
    name,
    steps,
    byLength: tokenizers.length === 1 ? record?.options["batchBy"] !== undefined : undefined,
    math: members.flatMap(({ model_name: model = "" }) =>
      own.has(model) || configOf(model)?.ensemble_scheduling !== undefined ? [] : [model],
    ),
  };
};

const tunedStep = (record: StepRecord, config: ModelConfig, profile: string | undefined): TunedStep => {
  const profiles = (record.options["profiles"] ?? {}) as Readonly<Record<string, Fields>>;
  const options: Fields = { ...record.options, ...(profile === undefined ? {} : profiles[profile]) };
  const group = config.instance_group?.[0];
  const device = group?.kind === "KIND_GPU" ? "gpu" : group?.kind === "KIND_CPU" ? "cpu" : "auto";
  const threads = Number(config.parameters?.["intra_op_thread_count"]?.string_value);
  const batching = config.dynamic_batching;
  const maxBatchSize = config.max_batch_size ?? 0;
  const padding = options["padding"] ?? "longest";
  const hasPadding = record.kind === "tokenizer" && padding !== "maxLength";
  return {
    name: record.name,
    hasThreads: isOnnx(config) && device !== "gpu",
    batched: maxBatchSize > 1 && config.sequence_batching === undefined,
    device,
    instances: group?.count ?? 1,
    threads: threads > 0 ? threads : undefined,
    delayUs: batching === undefined ? undefined : (batching.max_queue_delay_microseconds ?? 0),
    preferred: batching?.preferred_batch_size ?? [],
    maxBatchSize,
    parameters: options["parameters"] as Fields | undefined,
    dynamicBatching: options["dynamicBatching"] as Fields | undefined,
    ...(hasPadding ? { padding: { value: padding, maxLength: Number(options["maxLength"]) } } : {}),
  };
};
