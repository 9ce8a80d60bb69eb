import { remembered } from "@tritype/core";
import type { ModelConfig, ModelEnsemblingStep } from "@tritype/triton";

/** The steps of an ensemble, even if its platform is missing or misspelt; undefined for any other model. */
export const ensembleSteps = (config: ModelConfig): readonly ModelEnsemblingStep[] | undefined =>
  config.ensemble_scheduling !== undefined && (config.platform === "ensemble" || !config.backend)
    ? (config.ensemble_scheduling.step ?? [])
    : undefined;

/** An entry in a step's map: the step's name for a tensor, and the ensemble's name for it. */
export interface Wire {
  readonly step: number;
  readonly port: string;
  readonly tensor: string;
}

/** The properties of an ensemble that do not depend on its members. */
export interface EnsembleGraph {
  readonly inputs: ReadonlySet<string>;
  readonly outputs: ReadonlySet<string>;
  /** The step output that first writes a tensor. */
  readonly writers: ReadonlyMap<string, Wire>;
  /** The inputs of steps, keyed by the tensor that they read. */
  readonly readers: ReadonlyMap<string, readonly Wire[]>;
  /** The tensors that each step reads. */
  readonly inputsOf: readonly (readonly Wire[])[];
  /** All tensors in the maps that have a value once every step that can run has run. */
  readonly written: ReadonlySet<string>;
  /** Indexes of the steps that can run, in a possible order of execution. */
  readonly order: readonly number[];
  /** Whether every step lists its inputs. A step that does not list them may read any tensor. */
  readonly readsAll: boolean;
  /** Whether every step lists its outputs, and no two steps write the same tensor. */
  readonly writesAll: boolean;
}

/** Undefined for a model that is not an ensemble, and for an ensemble without steps. */
export const ensembleGraph: (config: ModelConfig) => EnsembleGraph | undefined = remembered((config) => {
  const steps = ensembleSteps(config);
  if (steps === undefined || steps.length === 0) return undefined;
  let writesAll = steps.every(({ output_map = {} }) => Object.keys(output_map).length > 0);
  const readsAll = steps.every(({ input_map = {} }) => Object.keys(input_map).length > 0);
  const writers = new Map<string, Wire>();
  const readers = new Map<string, Wire[]>();
  const inputsOf = steps.map(({ input_map = {} }, step) =>
    Object.entries(input_map).map(([port, tensor]): Wire => ({ step, port, tensor })),
  );
  for (const [step, { output_map = {} }] of steps.entries()) {
    for (const [port, tensor] of Object.entries(output_map)) {
      if (writers.has(tensor)) writesAll = false;
      else writers.set(tensor, { step, port, tensor });
    }
    for (const wire of inputsOf[step] ?? []) {
      const wires = readers.get(wire.tensor) ?? [];
      wires.push(wire);
      readers.set(wire.tensor, wires);
    }
  }
  const inputs = new Set((config.input ?? []).map(({ name = "" }) => name));
  const outputs = new Set((config.output ?? []).map(({ name = "" }) => name));
  return { inputs, outputs, writers, readers, inputsOf, readsAll, writesAll, ...run(steps, inputs, readers) };
});

const run = (
  steps: readonly ModelEnsemblingStep[],
  inputs: ReadonlySet<string>,
  readers: ReadonlyMap<string, readonly Wire[]>,
): Pick<EnsembleGraph, "written" | "order"> => {
  const written = new Set<string>();
  const order: number[] = [];
  const waiting = steps.map(({ input_map = {} }) => Object.keys(input_map).length);
  const queue = [...inputs];
  // Like Triton, continue from the oldest tensor.
  for (let i = 0; i < queue.length; i++) {
    const tensor = queue[i];
    if (tensor === undefined || written.has(tensor)) continue;
    written.add(tensor);
    for (const { step } of readers.get(tensor) ?? []) {
      waiting[step] = (waiting[step] ?? 0) - 1;
      if (waiting[step] !== 0) continue;
      order.push(step);
      for (const made of Object.values(steps[step]?.output_map ?? {})) queue.push(made);
    }
  }
  return { written, order };
};
