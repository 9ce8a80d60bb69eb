import { activeInstances, batchLimits, isOnnx, type ModelConfig, stepVersion } from "@tritype/triton";
import type { NamedTensors } from "@tritype/core";
import type { Station } from "./system.ts";

/** A call of a model in an ensemble. */
export interface EnsembleCall {
  readonly model: string;
  /** Default: the latest. */
  readonly version: string | undefined;
  /** Input → name of the tensor. */
  readonly reads: ReadonlyMap<string, string>;
  /** Output → name of the tensor. */
  readonly writes: ReadonlyMap<string, string>;
  /** Indexes of the calls whose outputs it reads. */
  readonly after: readonly number[];
}

/**
 * The calls that a request to a model causes, each after those that it needs; a model that is not an ensemble is one
 * call. The tensors of the request have the names of the model's inputs.
 * @param configs The model and, for an ensemble, all its members.
 */
export const ensembleCalls = (
  model: string,
  configs: ReadonlyMap<string, ModelConfig>,
): readonly EnsembleCall[] => {
  const flat = flatCalls(model, configs, (tensor) => tensor, "");
  const ordered: (typeof flat)[number][] = [];
  const known = new Set(configs.get(model)?.input?.map(({ name = "" }) => name));
  for (let left = flat; left.length > 0; ) {
    const ready = left.filter(({ reads }) => [...reads.values()].every((tensor) => known.has(tensor)));
    // In a cycle, which no server loads, nothing is ready.
    const next = ready.length > 0 ? ready : left;
    ordered.push(...next);
    for (const { writes } of next) for (const tensor of writes.values()) known.add(tensor);
    left = left.filter((one) => !next.includes(one));
  }
  return ordered.map((call, index) => ({
    ...call,
    after: ordered.flatMap(({ writes }, before) =>
      before < index && [...writes.values()].some((tensor) => [...call.reads.values()].includes(tensor))
        ? [before]
        : [],
    ),
  }));
};

/** @param nameOf The name that a tensor of this model has outside it. */
const flatCalls = (
  model: string,
  configs: ReadonlyMap<string, ModelConfig>,
  nameOf: (tensor: string) => string,
  path: string,
): readonly Omit<EnsembleCall, "after">[] => {
  const { ensemble_scheduling: scheduling, input = [], output = [] } = configs.get(model) ?? {};
  const own = ({ name = "" }: { readonly name?: string }) => [name, nameOf(name)] as const;
  if (scheduling === undefined)
    return [{ model, version: undefined, reads: new Map(input.map(own)), writes: new Map(output.map(own)) }];
  const outside = new Set([...input, ...output].map(({ name = "" }) => name));
  const here = (tensor: string): string => (outside.has(tensor) ? nameOf(tensor) : `${path}${tensor}`);
  return (scheduling.step ?? []).flatMap((step, index) => {
    const { model_name: member = "", input_map, output_map } = step;
    const mapped = new Map(Object.entries({ ...input_map, ...output_map }));
    const bound = (tensor: string): string => here(mapped.get(tensor) ?? tensor);
    const nested = configs.get(member)?.ensemble_scheduling !== undefined;
    if (nested) return flatCalls(member, configs, bound, `${path}${index} ${member}/`);
    const mapOf = (map: Readonly<Record<string, string>> = {}) =>
      new Map(Object.entries(map).map(([name, tensor]) => [name, here(tensor)]));
    return [
      {
        model: member,
        version: stepVersion(step),
        reads: mapOf(input_map),
        writes: mapOf(output_map),
      },
    ];
  });
};

/** A model, as a server with this many processors runs it. */
export const stationOf = (model: string, config: ModelConfig, cores: number): Station => {
  const instances = activeInstances(config);
  return {
    model,
    instances: instances.length,
    threads: instances.some(({ group }) => group.kind === "KIND_GPU") ? 0 : threadsOf(config, cores),
    maxBatchSize: config.max_batch_size ?? 0,
    ...(config.dynamic_batching === undefined ? {} : { batching: batchLimits(config) }),
  };
};

/** ONNX Runtime uses every processor unless `intra_op_thread_count` says otherwise. */
const threadsOf = (config: ModelConfig, cores: number): number => {
  const set = Number(config.parameters?.["intra_op_thread_count"]?.string_value);
  if (set > 0) return set;
  return isOnnx(config) ? cores : 1;
};

/** Equal for requests that may share a batch of the model: the shapes of its inputs of variable size. */
export const mergedShape = ({ input = [] }: ModelConfig, tensors: NamedTensors): string =>
  input
    .filter(({ dims = [], allow_ragged_batch: ragged }) => ragged !== true && dims.some((dim) => dim < 0))
    .map(({ name = "" }) => `${name} ${tensors.get(name)?.shape.slice(1).join() ?? ""}`)
    .join("; ");
