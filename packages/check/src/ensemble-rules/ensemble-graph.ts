import type { ModelConfig, ModelEnsemblingStep } from "@tritype/triton";

/** The steps of an ensemble; undefined for any other model. */
export const ensembleSteps = (config: ModelConfig): readonly ModelEnsemblingStep[] | undefined =>
  config.platform === "ensemble" && config.ensemble_scheduling !== undefined
    ? (config.ensemble_scheduling.step ?? [])
    : undefined;

/** One entry of a step's map: the step's own name of a tensor and the ensemble's. */
export interface Wire {
  readonly step: number;
  readonly port: string;
  readonly tensor: string;
}

/** What can be said of an ensemble without its members. */
export interface EnsembleGraph {
  readonly inputs: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
  /** The step output that first writes a tensor. */
  readonly writers: ReadonlyMap<string, Wire>;
  /** Step inputs by the tensor that they read. */
  readonly readers: ReadonlyMap<string, readonly Wire[]>;
  /** All tensors of the maps that are there once every step has run that can. */
  readonly written: ReadonlySet<string>;
  /** Indexes of the steps that can run, in an order in which they can. */
  readonly order: readonly number[];
}

const graphs = new WeakMap<ModelConfig, EnsembleGraph | undefined>();

/** Undefined for what is no ensemble, and for one whose steps are incomplete or write a tensor twice. */
export const ensembleGraph = (config: ModelConfig): EnsembleGraph | undefined => {
  if (!graphs.has(config)) graphs.set(config, buildGraph(config));
  return graphs.get(config);
};

const buildGraph = (config: ModelConfig): EnsembleGraph | undefined => {
  const steps = ensembleSteps(config);
  if (steps === undefined || steps.length === 0 || !steps.every(isWhole)) return undefined;
  const writers = new Map<string, Wire>();
  const readers = new Map<string, Wire[]>();
  for (const [step, { input_map = {}, output_map = {} }] of steps.entries()) {
    for (const [port, tensor] of Object.entries(output_map)) {
      if (writers.has(tensor)) return undefined;
      writers.set(tensor, { step, port, tensor });
    }
    for (const [port, tensor] of Object.entries(input_map)) {
      const wires = readers.get(tensor) ?? [];
      wires.push({ step, port, tensor });
      readers.set(tensor, wires);
    }
  }
  const inputs = new Set((config.input ?? []).map(({ name = "" }) => name));
  const outputs = new Set((config.output ?? []).map(({ name = "" }) => name));
  return { inputs, outputs, writers, readers, ...run(steps, inputs, readers) };
};

export const isWhole = ({ model_name, input_map = {}, output_map = {} }: ModelEnsemblingStep): boolean =>
  Boolean(model_name) && Object.keys(input_map).length > 0 && Object.keys(output_map).length > 0;

const run = (
  steps: readonly ModelEnsemblingStep[],
  inputs: ReadonlySet<string>,
  readers: ReadonlyMap<string, readonly Wire[]>,
): Pick<EnsembleGraph, "written" | "order"> => {
  const written = new Set<string>();
  const order: number[] = [];
  const waiting = steps.map(({ input_map = {} }) => Object.keys(input_map).length);
  const queue = [...inputs];
  // Triton, too, goes on from the tensor that it has longest.
  for (let i = 0; i < queue.length; i++) {
    const tensor = queue[i];
    if (tensor === undefined || written.has(tensor)) continue;
    written.add(tensor);
    for (const { step } of readers.get(tensor) ?? []) {
      waiting[step] = (waiting[step] ?? 0) - 1;
      if (waiting[step] !== 0) continue;
      order.push(step);
      queue.push(...Object.values(steps[step]?.output_map ?? {}));
    }
  }
  return { written, order };
};
