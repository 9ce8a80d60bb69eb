import type { ModelConfig } from "@tritype/triton";

/** The configuration of a step's model: its latest loaded version. */
export type StepConfig = (model: string) => ModelConfig | undefined;

interface KnownTensor {
  readonly model: string;
  readonly dataType: string;
  readonly dims: readonly number[];
  readonly full: readonly number[];
}

/**
 * Why an ensemble cannot be served, in Triton's words; undefined when it can.
 * Source: `ValidateEnsembleSchedulingConfig` and `ValidateEnsembleConfig` of Triton core.
 */
export const ensembleProblem = (config: ModelConfig, stepConfig: StepConfig): string | undefined => {
  for (const problem of problems(config, stepConfig)) return problem;
  return undefined;
};

function* problems(config: ModelConfig, stepConfig: StepConfig): Generator<string> {
  yield* wiringProblems(config);
  const ensemble = config.name ?? "";
  const tensors = new Map<string, KnownTensor>();
  for (const { name = "", data_type = "", dims = [], reshape } of [
    ...(config.input ?? []),
    ...(config.output ?? []),
  ]) {
    const known = knownTensor(ensemble, config, data_type, reshape ? (reshape.shape ?? []) : dims);
    if (!tensors.has(name)) tensors.set(name, known);
  }
  for (const { model_name = "", input_map = {}, output_map = {} } of config.ensemble_scheduling?.step ?? []) {
    const model = stepConfig(model_name);
    if (model === undefined) continue;
    const limit = model.max_batch_size ?? 0;
    if (limit !== 0 && limit < (config.max_batch_size ?? 0))
      yield `ensemble ${ensemble} allows maximum batch size ${config.max_batch_size}, but it contains model ${model_name} which only allows maximum batch size to be ${limit}`;
    const inputs = new Set((model.input ?? []).map(({ name }) => name));
    for (const [name, tensor] of Object.entries(input_map))
      if (!inputs.has(name))
        yield `in ensemble ${ensemble}, ensemble tensor ${tensor} is mapping to non-existing input ${name} in model ${model_name}`;
    for (const { name = "", optional } of model.input ?? [])
      if (optional !== true && !Object.hasOwn(input_map, name))
        yield `in ensemble ${ensemble}, input ${name} in model ${model_name} is not mapped to any ensemble tensors`;
    const outputs = new Set((model.output ?? []).map(({ name }) => name));
    for (const [name, tensor] of Object.entries(output_map))
      if (!outputs.has(name))
        yield `in ensemble ${ensemble}, ensemble tensor ${tensor} is mapped from non-existing output ${name} in model ${model_name}`;
    yield* typeProblems(ensemble, model, model.input ?? [], input_map, tensors);
    yield* typeProblems(ensemble, model, model.output ?? [], output_map, tensors);
  }
}

/** What can be said without the step models: every tensor is made once, from something. */
function* wiringProblems(config: ModelConfig): Generator<string> {
  const ensemble = config.name ?? "";
  const steps = config.ensemble_scheduling?.step ?? [];
  if (config.ensemble_scheduling === undefined)
    yield `ensemble scheduling must be set for ensemble ${ensemble} whose platform is ensemble`;
  if (steps.length === 0) yield `must specify 'step' for ensemble '${ensemble}'`;
  const inputs = new Set((config.input ?? []).map(({ name = "" }) => name));
  const written = new Set<string>();
  for (const [index, { model_name = "", input_map = {}, output_map = {} }] of steps.entries()) {
    if (model_name === "") yield `must specify 'model_name' in step ${index} of ensemble '${ensemble}'`;
    if (Object.keys(input_map).length === 0)
      yield `must specify 'input_map' in step ${index} of ensemble '${ensemble}'`;
    if (Object.keys(output_map).length === 0)
      yield `must specify 'output_map' in step ${index} of ensemble '${ensemble}'`;
    for (const tensor of Object.values(output_map)) {
      if (written.has(tensor))
        yield `ensemble tensor '${tensor}' can appear in an output map only once for ensemble '${ensemble}' step ${index}`;
      // Triton loads this and leaves its requests without an answer.
      if (inputs.has(tensor))
        yield `ensemble tensor '${tensor}' is an input of ensemble '${ensemble}' and is written by step ${index}: its requests would wait forever`;
      written.add(tensor);
    }
  }
  const reached = reachable(config, inputs);
  for (const { name = "" } of config.output ?? []) {
    if (reached.has(name)) continue;
    const step = steps.find(({ output_map = {} }) => Object.values(output_map).includes(name));
    const missing = Object.values(step?.input_map ?? {}).find((tensor) => !reached.has(tensor));
    yield step === undefined
      ? `ensemble output '${name}' for ensemble ${ensemble}' is not used`
      : `output '${name}' for ensemble '${ensemble}' is not written: at least one of its depending tensors, '${missing ?? name}', is not connected`;
  }
}

const reachable = (config: ModelConfig, inputs: ReadonlySet<string>): ReadonlySet<string> => {
  const reached = new Set(inputs);
  const steps = config.ensemble_scheduling?.step ?? [];
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const { input_map = {}, output_map = {} } of steps)
      if (Object.values(input_map).every((tensor) => reached.has(tensor)))
        for (const tensor of Object.values(output_map)) reached.add(tensor);
  }
  return reached;
};

interface PortConfig {
  readonly name?: string;
  readonly data_type?: string;
  readonly dims?: readonly number[];
}

function* typeProblems(
  ensemble: string,
  model: ModelConfig,
  ports: readonly PortConfig[],
  map: Readonly<Record<string, string>>,
  tensors: Map<string, KnownTensor>,
): Generator<string> {
  for (const { name = "", data_type = "", dims = [] } of ports) {
    const tensor = map[name];
    if (tensor === undefined) continue;
    const found = knownTensor(model.name ?? "", model, data_type, dims);
    const known = tensors.get(tensor);
    if (known === undefined) {
      tensors.set(tensor, found);
      continue;
    }
    const prefix = `in ensemble ${ensemble}, ensemble tensor ${tensor}: inconsistent`;
    if (known.dataType !== found.dataType)
      yield `${prefix} data type: ${known.dataType} is inferred from model ${known.model} while ${found.dataType} is inferred from model ${found.model}`;
    if (!compatible(known.dims, found.dims) && !compatible(known.full, found.full))
      yield `${prefix} shape: ${dimsList(known.full)} is inferred from model ${known.model} while ${dimsList(found.full)} is inferred from model ${found.model}`;
  }
}

const knownTensor = (
  model: string,
  config: ModelConfig,
  dataType: string,
  dims: readonly number[],
): KnownTensor => ({ model, dataType, dims, full: (config.max_batch_size ?? 0) > 0 ? [-1, ...dims] : dims });

const compatible = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((dim, i) => dim === -1 || b[i] === -1 || dim === b[i]);

const dimsList = (dims: readonly number[]): string => `[${dims.join(",")}]`;
