import type { StepRecord } from "@tritype/dsl";
import { type CompiledProject, reachable } from "@tritype/project";
import { isOnnx, type ModelConfig, type ModelInstanceGroup } from "@tritype/triton";
import type { Device, TunedEnsemble, TunedStep } from "@tritype/tune";
import { configOf } from "./candidate.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The server that measures an ensemble. */
export interface MeasuringServer {
  /** The configuration of a model that is currently served; undefined if there is no model with that name. */
  readonly configOf: (model: string) => ModelConfig | undefined;
  /** The device of models that run on a GPU if there is one. */
  readonly autoDevice: Device;
}

/**
 * An ensemble and the steps that it calls, with their current configuration.
 * @param profile The profile whose settings are the starting point.
 */
export const tunedEnsemble = (
  compiled: Pick<CompiledProject, "records" | "compilation">,
  name: string,
  profile: string | undefined,
  { configOf: served, autoDevice }: MeasuringServer,
): TunedEnsemble => {
  const { records, compilation } = compiled;
  const deviceOf = ({ instance_group: groups = [] }: ModelConfig): Device =>
    devices.get(groups[0]?.kind ?? "KIND_AUTO") ?? autoDevice;
  const record = records.find((one) => one.name === name);
  const called = reachable(record === undefined ? [] : [record]).filter(({ trace }) => trace === undefined);
  const fused = new Set(
    compilation.build?.manifest.models.flatMap((model) => (model.fused === undefined ? [] : [model.name])),
  );
  const steps = called.flatMap((step) => {
    const config = served(step.name);
    if (config === undefined) return [];
    const [group] = configOf(compiled, step.name, profile)?.instance_group ?? [];
    return [
      {
        ...tunedStep(step, config, deviceOf(config), profile),
        ...(group === undefined ? {} : { instanceGroup: otherOptions(group) }),
        isFused: fused.has(step.name),
      },
    ];
  });
  const tokenizers = called.filter(({ kind }) => kind === "tokenizer");
  const own = new Set(called.map((step) => step.name));
  const members = served(name)?.ensemble_scheduling?.step ?? [];
  return {
    name,
    steps,
    byLength: tokenizers.length === 1 ? record?.options["batchBy"] !== undefined : undefined,
    math: members.flatMap(({ model_name: model = "" }) => {
      const config = served(model);
      return own.has(model) || config === undefined || config.ensemble_scheduling !== undefined
        ? []
        : [{ name: model, device: deviceOf(config) }];
    }),
  };
};

const devices: ReadonlyMap<string, Device> = new Map([
  ["KIND_GPU", "gpu"],
  ["KIND_CPU", "cpu"],
  ["KIND_MODEL", "auto"],
]);

/** Field of an instance group in a configuration → the DSL's option. The kind and the count are tuned. */
const groupOptions: ReadonlyMap<string, string> = new Map([
  ["gpus", "gpus"],
  ["host_policy", "hostPolicy"],
  ["name", "name"],
  ["passive", "passive"],
  ["profile", "profile"],
  ["rate_limiter", "rateLimiter"],
]);

/** The options of a group that tuning does not change. A device is not added to `kind: "model"`. */
const otherOptions = ({ kind, secondary_devices: accelerators, ...fields }: ModelInstanceGroup): Fields => ({
  ...(kind === "KIND_MODEL" ? { kind: "model" } : {}),
  ...(accelerators === undefined
    ? {}
    : {
        secondaryDevices: accelerators.map(({ device_id: deviceId = 0 }) => ({ kind: "nvdla", deviceId })),
      }),
  ...Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => {
      const option = groupOptions.get(field);
      return option === undefined ? [] : [[option, value] as const];
    }),
  ),
});

const tunedStep = (
  record: StepRecord,
  config: ModelConfig,
  device: Device,
  profile: string | undefined,
): TunedStep => {
  const profiles = (record.options["profiles"] ?? {}) as Readonly<Record<string, Fields>>;
  const options: Fields = { ...record.options, ...(profile === undefined ? {} : profiles[profile]) };
  const [group, ...others] = config.instance_group ?? [];
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
    instances: others.length > 0 ? undefined : (group?.count ?? 1),
    threads: threads > 0 ? threads : undefined,
    delayUs: batching === undefined ? undefined : (batching.max_queue_delay_microseconds ?? 0),
    preferred: batching?.preferred_batch_size ?? [],
    maxBatchSize,
    parameters: options["parameters"] as Fields | undefined,
    dynamicBatching: options["dynamicBatching"] as Fields | undefined,
    ...(hasPadding ? { padding: { value: padding, maxLength: Number(options["maxLength"]) } } : {}),
  };
};
