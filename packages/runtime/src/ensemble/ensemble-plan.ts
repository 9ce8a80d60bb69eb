import { foreignError, requestPrefix } from "@tritype/core";
import { type ModelConfig, stepVersion } from "@tritype/triton";
import type { ModelRequest } from "../backend.ts";

/** One step of an ensemble: its model, and the ensemble's names for the model's tensors. */
export interface EnsembleStep {
  readonly model: string;
  /** undefined means the latest ready version. */
  readonly version: string | undefined;
  /** Input of the model → ensemble tensor. */
  readonly inputs: ReadonlyMap<string, string>;
  /** Output of the model → ensemble tensor. */
  readonly outputs: ReadonlyMap<string, string>;
}

/** An ensemble's configuration as the executor reads it. */
export interface EnsemblePlan {
  readonly name: string;
  readonly steps: readonly EnsembleStep[];
  /** The inputs that are not optional. */
  readonly required: readonly string[];
  /** Outputs in the order of the configuration, with their internal dims (after `reshape`). */
  readonly outputs: readonly { readonly name: string; readonly dims: readonly number[] }[];
  readonly batched: boolean;
  /** Ensemble tensor → index of the step that produces it; the ensemble's own inputs are absent. */
  readonly producers: ReadonlyMap<string, number>;
}

export const isEnsemble = (config: ModelConfig): boolean => config.platform === "ensemble";

export const planEnsemble = (config: ModelConfig): EnsemblePlan => {
  const steps = (config.ensemble_scheduling?.step ?? []).map(
    (step): EnsembleStep => ({
      model: step.model_name ?? "",
      version: stepVersion(step),
      inputs: new Map(Object.entries(step.input_map ?? {})),
      outputs: new Map(Object.entries(step.output_map ?? {})),
    }),
  );
  return {
    name: config.name ?? "",
    steps,
    required: (config.input ?? []).flatMap(({ name = "", optional }) => (optional === true ? [] : [name])),
    outputs: (config.output ?? []).map(({ name = "", dims = [], reshape }) => ({
      name,
      dims: reshape ? (reshape.shape ?? []) : dims,
    })),
    batched: (config.max_batch_size ?? 0) > 0,
    producers: new Map(
      steps.flatMap((step, index) => [...step.outputs.values()].map((tensor) => [tensor, index] as const)),
    ),
  };
};

/** Indices of the steps that the tensors depend on. */
export const stepsFor = (
  { steps, producers }: EnsemblePlan,
  tensors: readonly string[],
): ReadonlySet<number> => {
  const needed = new Set<number>();
  const visit = (tensor: string): void => {
    const index = producers.get(tensor);
    if (index === undefined || needed.has(index)) return;
    needed.add(index);
    for (const input of steps[index]?.inputs.values() ?? []) visit(input);
  };
  tensors.forEach(visit);
  return needed;
};

/**
 * @throws PipelineError `request/invalid` with Triton's message for a request whose outputs depend on a required input that it lacks:
 * if other inputs are optional, only the number of inputs is checked before.
 */
export const refuseDeadlock = (plan: EnsemblePlan, { id, inputs, outputs }: ModelRequest): void => {
  const missing = plan.required.filter((name) => !inputs.has(name));
  if (missing.length === 0) return;
  const read = [...stepsFor(plan, outputs)].flatMap((index) => [
    ...(plan.steps[index]?.inputs.values() ?? []),
  ]);
  if (missing.some((name) => read.includes(name)))
    throw foreignError(
      "request/invalid",
      `${requestPrefix(id)}unexpected deadlock, at least one output is not set while no more ensemble steps can be made`,
    );
};
