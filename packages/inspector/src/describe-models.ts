import { dtypeOfConfigName, isObject, type Graph, type GraphNode, showDim } from "@tritype/core";
import type { Manifest, ManifestEnsemble, ManifestModel, ManifestTensor } from "@tritype/manifest";
import type { ModelStatus } from "@tritype/runtime";
import { isDecoupled, type ModelConfig } from "@tritype/triton";
import type { FindingView, JsonSchema, ModelView, PlaceView, StepView, TensorView } from "./api.ts";
import { configFields } from "./config-fields.ts";

/** The available information about a repository's models. */
export interface KnownModels {
  readonly statuses: readonly ModelStatus[];
  /** The configuration that a model runs with, or the one in the repository; undefined if it cannot be read. */
  readonly configOf: (model: string) => ModelConfig | undefined;
  /** Changes whenever the files from which a model's versions were loaded change; undefined if they are unknown. */
  readonly filesOf: (model: string) => string | undefined;
  readonly manifest: Manifest | undefined;
  readonly findings: ReadonlyMap<string, readonly FindingView[]>;
  /** The lines of a label file of a model. Default: unknown. */
  readonly labelsIn?: (model: string, file: string) => readonly string[] | undefined;
  /**
   * The models that each model's code calls, for models that are not in the manifest, and the outputs that it requests from each;
   * undefined if it does not name all of them. Default: unknown.
   */
  readonly calls?: ReadonlyMap<string, ReadonlyMap<string, readonly string[] | undefined>> | undefined;
  /** @param source The place of the author's declaration; undefined for a model that is not in the manifest. Default: unknown. */
  readonly descriptionOf?: (
    model: string,
    config: ModelConfig,
    source: PlaceView | undefined,
  ) => string | undefined;
  /** How often a model's file contains each operator. Default: unknown. */
  readonly operatorsOf?: (model: string, config: ModelConfig) => Readonly<Record<string, number>> | undefined;
}

/** Every model with its contract, by name. */
export const describeModels = ({
  statuses,
  configOf,
  filesOf,
  manifest,
  findings,
  labelsIn = () => undefined,
  calls = new Map(),
  descriptionOf = () => undefined,
  operatorsOf = () => undefined,
}: KnownModels): readonly ModelView[] => {
  const names = [...new Set(statuses.map(({ name }) => name))].toSorted();
  const configs = new Map(
    names.flatMap((name) => {
      const config = configOf(name);
      return config === undefined ? [] : [[name, config] as const];
    }),
  );
  const built = new Map((manifest?.models ?? []).map((model) => [model.name, model]));
  const callsOf = (name: string): readonly string[] =>
    built.get(name)?.calls ?? [...(calls.get(name)?.keys() ?? [])];
  const named = namedDims(manifest);
  const labelsOf = (name: string, output: string, depth = 0): readonly string[] | undefined => {
    const { output: ports = [], ...config } = configs.get(name) ?? {};
    const file = ports.find((port) => port.name === output)?.label_filename;
    if (file !== undefined && file !== "") return labelsIn(name, file);
    // As in Triton, an output of an ensemble has the labels of the step that produces it.
    for (const step of depth > deepest ? [] : stepsOf(config))
      for (const [own, tensor] of Object.entries(step.outputs))
        if (tensor === output) return labelsOf(step.model, own, depth + 1);
    return undefined;
  };
  const declared = new Set((manifest?.ensembles ?? []).map(({ name }) => name));
  const places = new Set([...declared].map((name) => placeKey(built.get(name)?.source)));
  const used = new Set(
    [...configs].flatMap(([name, config]) => [
      ...stepsOf(config).map(({ model }) => model),
      ...callsOf(name),
    ]),
  );
  return names.map((name): ModelView => {
    const own = statuses.filter((status) => status.name === name);
    const status = own.find(({ state }) => state !== "READY") ?? own[0];
    const config = configs.get(name) ?? {};
    const origin = built.get(name);
    const batched = (config.max_batch_size ?? 0) > 0;
    const view = (port: ConfigPort, side: Side): TensorView =>
      tensorOf(port, batched, named.get(name)?.[side]);
    const steps = stepsOf(config);
    const batching = batchingOf(config);
    const files = filesOf(name);
    // Models that the build creates for an ensemble have the ensemble's place.
    const isOwn = declared.has(name) || !places.has(placeKey(origin?.source));
    const hasMath = origin?.kind === "tensor-math" || (origin?.fused ?? []).length > 0;
    const operators = hasMath ? operatorsOf(name, config) : undefined;
    const requests = [...(calls.get(name) ?? [])].flatMap(([callee, outputs]) =>
      outputs === undefined ? [] : [[callee, outputs] as const],
    );
    const isKnown = origin === undefined || (origin.source !== undefined && isOwn);
    const description = isKnown ? descriptionOf(name, config, origin?.source) : undefined;
    return {
      name,
      ...(description === undefined ? {} : { description }),
      kind: origin?.kind ?? kindOf(config),
      state: status?.state ?? "UNKNOWN",
      ...(status?.reason === undefined ? {} : { reason: status.reason }),
      ...(status?.help === undefined ? {} : { help: status.help }),
      versions: own.flatMap(({ version }) => version ?? []),
      ...(configs.has(name) && { maxBatchSize: config.max_batch_size ?? 0 }),
      ...(batching === undefined ? {} : { batching }),
      instances: instancesOf(config),
      streams: isDecoupled(config),
      sequences: someConfig(name, configs, ({ sequence_batching }) => sequence_batching !== undefined),
      ...(someConfig(name, configs, hasTextIds) ? { textSequenceIds: true } : {}),
      inputs: (config.input ?? []).map((port) => {
        const { json, ...input } = view(port, "inputs");
        return isJson(name, port.name ?? "", configs, built) ? { ...input, json: json ?? {} } : input;
      }),
      outputs: (config.output ?? []).map((port) => {
        const labels = labelsOf(name, port.name ?? "");
        return { ...view(port, "outputs"), ...(labels && { labels }) };
      }),
      ...(config.ensemble_scheduling === undefined ? {} : { steps }),
      calls: callsOf(name),
      ...(requests.length === 0 ? {} : { requests: Object.fromEntries(requests) }),
      entry: !used.has(name),
      ...(origin?.source === undefined ? {} : { source: origin.source }),
      fused: origin?.fused ?? [],
      ...(operators === undefined ? {} : { operators }),
      findings: findings.get(name) ?? [],
      fields: configFields(config),
      ...(files === undefined ? {} : { files }),
    };
  });
};

/** Nested ensembles are followed to this depth. */
const deepest = 20;
const placeKey = (place: PlaceView | undefined): string | undefined =>
  place && `${place.file}:${place.line}:${place.column}`;

/** Whether `is` holds for a model or, for an ensemble, for one of its members. */
const someConfig = (
  name: string,
  configs: ReadonlyMap<string, ModelConfig>,
  is: (config: ModelConfig) => boolean,
  above: readonly string[] = [],
): boolean => {
  const config = configs.get(name);
  if (config === undefined || above.includes(name)) return false;
  const path = [...above, name];
  return is(config) || stepsOf(config).some(({ model }) => someConfig(model, configs, is, path));
};

/** Whether the control input for the sequence's id is a text. */
const hasTextIds = ({ sequence_batching }: ModelConfig): boolean =>
  (sequence_batching?.control_input ?? [])
    .flatMap(({ control = [] }) => control)
    .some(({ kind, data_type }) => kind === "CONTROL_SEQUENCE_CORRID" && data_type === "TYPE_STRING");

/** Whether a model, or the members of an ensemble, read an input as JSON. */
const isJson = (
  name: string,
  input: string,
  configs: ReadonlyMap<string, ModelConfig>,
  built: ReadonlyMap<string, ManifestModel>,
  above: readonly string[] = [],
): boolean => {
  if (above.includes(name)) return false;
  const options = built.get(name)?.twin?.options as { readonly inputs?: unknown } | undefined;
  const port = isObject(options?.inputs) ? options.inputs[input] : undefined;
  if (isObject(port) && port["json"] === true) return true;
  return stepsOf(configs.get(name) ?? {}).some((step) =>
    Object.entries(step.inputs).some(
      ([own, tensor]) => tensor === input && isJson(step.model, own, configs, built, [...above, name]),
    ),
  );
};

type Side = "inputs" | "outputs";
type NamedTensor = Pick<TensorView, "dims" | "choices" | "json">;
type NamedSides = Readonly<Record<Side, ReadonlyMap<string, NamedTensor>>>;

interface ConfigPort {
  readonly name?: string;
  readonly data_type?: string;
  readonly dims?: readonly number[];
  readonly optional?: boolean;
}

const tensorOf = (
  { name = "", data_type = "", dims = [], optional }: ConfigPort,
  batched: boolean,
  named: ReadonlyMap<string, NamedTensor> | undefined,
): TensorView => {
  const known = named?.get(name);
  const declared = [...(batched ? ["batch"] : []), ...dims];
  const fits = known !== undefined && known.dims.length === declared.length;
  return {
    name,
    dtype: dtypeOfConfigName(data_type) ?? data_type,
    dims: fits ? known.dims : declared,
    ...(optional === true ? { optional } : {}),
    ...(known?.choices === undefined ? {} : { choices: known.choices }),
    ...(known?.json === undefined ? {} : { json: known.json }),
  };
};

const stepsOf = (config: ModelConfig): readonly StepView[] =>
  (config.ensemble_scheduling?.step ?? []).map(
    ({ model_name = "", model_version = -1, input_map = {}, output_map = {} }) => ({
      model: model_name,
      ...(model_version > 0 ? { version: Number(model_version) } : {}),
      inputs: input_map,
      outputs: output_map,
    }),
  );

const kindOf = (config: ModelConfig): string =>
  config.ensemble_scheduling === undefined ? config.backend || config.platform || "unknown" : "ensemble";

const instancesOf = (config: ModelConfig): readonly string[] =>
  config.ensemble_scheduling === undefined
    ? (config.instance_group ?? []).map(({ kind = "KIND_AUTO", count = 1, gpus = [] }) => {
        const where = kind.replace("KIND_", "").toLowerCase();
        return `${count} × ${where === "cpu" || where === "gpu" ? where.toUpperCase() : where}${gpus.length === 0 ? "" : ` ${gpus.join(", ")}`}`;
      })
    : [];

const batchingOf = ({ dynamic_batching, sequence_batching }: ModelConfig): string | undefined => {
  if (sequence_batching !== undefined) return "sequences";
  if (dynamic_batching === undefined) return undefined;
  const delay = dynamic_batching.max_queue_delay_microseconds ?? 0;
  const sizes = dynamic_batching.preferred_batch_size ?? [];
  return [
    "dynamic",
    ...(sizes.length === 0 ? [] : [`prefers ${sizes.join(", ")}`]),
    ...(delay === 0 ? [] : [`waits ${delay / 1000} ms`]),
  ].join(", ");
};

/** The author's names for sizes: in the calls of flows, in functions, at each step of the graphs, and in the contracts. */
const namedDims = ({
  ensembles = [],
  models: built = [],
}: Partial<Manifest> = {}): ReadonlyMap<string, NamedSides> => {
  const models = new Map<string, Record<Side, Map<string, NamedTensor>>>();
  const learn = (model: string, types: Sides): void => {
    const sides = models.get(model) ?? { inputs: new Map(), outputs: new Map() };
    models.set(model, sides);
    for (const side of ["inputs", "outputs"] as const)
      for (const [tensor, { dims, accepts }] of Object.entries(types[side]))
        sides[side].set(tensor, {
          dims: dims.map(shown),
          ...(accepts?.enum === undefined ? {} : { choices: accepts.enum }),
          ...(accepts?.contentSchema === undefined ? {} : { json: accepts.contentSchema as JsonSchema }),
        });
  };
  for (const [model, types] of built.flatMap(calledTypes)) learn(model, types);
  for (const { name, twin } of built) learn(name, writtenTypes(twin?.options));
  for (const ensemble of ensembles) for (const [step, types] of stepTypes(ensemble)) learn(step, types);
  for (const ensemble of ensembles) learn(ensemble.name, ensemble);
  return models;
};

const shown = (dim: number | string): number | string => (typeof dim === "string" ? showDim(dim) : dim);

type Sides = Readonly<Record<Side, Readonly<Record<string, Pick<ManifestTensor, "dims" | "accepts">>>>>;

/** The types of the models that a flow calls. */
const calledTypes = ({ twin }: ManifestModel): readonly (readonly [string, Sides])[] => {
  const { calls } = (isObject(twin?.options) ? twin.options : {}) as { readonly calls?: unknown };
  return Object.values(isObject(calls) ? calls : {}).flatMap((callee) =>
    isObject(callee) && typeof callee["model"] === "string"
      ? [[callee["model"], writtenTypes(callee)] as const]
      : [],
  );
};

/** The types of a function or a callee. They are not part of the manifest's contract, so anything may be missing. */
const writtenTypes = (options: unknown): Sides => {
  const given = isObject(options) ? options : {};
  const side = (name: Side): Sides[Side] =>
    Object.fromEntries(
      Object.entries(isObject(given[name]) ? given[name] : {}).flatMap(([own, type]) => {
        const { dims, servedAs = own } = (isObject(type) ? type : {}) as Partial<WrittenType>;
        return Array.isArray(dims) ? [[servedAs, { dims }] as const] : [];
      }),
    );
  return { inputs: side("inputs"), outputs: side("outputs") };
};

interface WrittenType {
  readonly dims: ManifestTensor["dims"];
  readonly servedAs: string;
}

/** The graph is not part of the manifest's contract, so anything may be missing. */
const stepTypes = ({
  graph,
  inputs,
}: Pick<ManifestEnsemble, "graph" | "inputs">): readonly (readonly [string, Sides])[] => {
  const nodes = (graph as Partial<Graph> | undefined)?.nodes;
  if (!Array.isArray(nodes)) return [];
  const byId = new Map((nodes as readonly GraphNode[]).map((node) => [node.id, node]));
  return [...byId.values()].flatMap((node) => {
    if (node.kind !== "step") return [];
    const types = Object.entries(node.inputs).flatMap(([input, port]) => {
      const source = byId.get(port.node);
      const type = source?.outputs[port.output];
      if (type === undefined) return [];
      const { contentSchema } = (source?.kind === "input" ? inputs[source.name]?.accepts : undefined) ?? {};
      return [[input, { ...type, ...(contentSchema && { accepts: { contentSchema } }) }] as const];
    });
    return [[node.step, { inputs: Object.fromEntries(types), outputs: node.outputs }] as const];
  });
};
