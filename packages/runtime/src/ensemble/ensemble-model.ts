import type { ModelConfig } from "@tritype/triton";
import type { ComputeTimes, LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import { cancelled } from "../scheduling/cancellation.ts";
import { type EnsemblePlan, type EnsembleStep, planEnsemble, stepsFor } from "./ensemble-plan.ts";
import {
  type EnsembleHost,
  ensembleInputs,
  ensembleOutputs,
  type EnsembleTensor,
  requestStep,
} from "./ensemble-step.ts";
import { streamEnsemble } from "./stream-ensemble.ts";
import { failureAt } from "../failure-at.ts";

/**
 * An ensemble as a model. A step runs as soon as its inputs are available, and branches run in parallel. Steps that the
 * requested outputs do not depend on are skipped, and no step starts after the request is cancelled. Compute times are
 * the sums over the steps. An ensemble with a decoupled step is decoupled. Source: `EnsembleContext` of Triton core.
 */
export const createEnsemble = (config: ModelConfig, host: EnsembleHost): LoadedModel => {
  const plan = planEnsemble(config);
  const streams = config.model_transaction_policy?.decoupled === true;
  const run = streams
    ? streamEnsemble(plan, host)
    : (request: ModelRequest) => runEnsemble(plan, host, request);
  return {
    streams,
    composed: true,
    execute: (requests) => Promise.all(requests.map((request) => run(request))),
    close: () => Promise.resolve(),
  };
};

const runEnsemble = async (
  plan: EnsemblePlan,
  host: EnsembleHost,
  request: ModelRequest,
): Promise<ModelResult> => {
  try {
    const times = { input: 0, infer: 0, output: 0 };
    const tensors = await runSteps(plan, host, request, (spent) => {
      times.input += spent.input;
      times.infer += spent.infer;
      times.output += spent.output;
    });
    return { outputs: ensembleOutputs(plan, request, tensors), times };
  } catch (error) {
    return { error: failureAt(`in ensemble '${plan.name}', `, error) };
  }
};

/** Every tensor that the requested outputs depend on. An output that a step does not return is absent, as in Triton. */
const runSteps = async (
  plan: EnsemblePlan,
  host: EnsembleHost,
  request: ModelRequest,
  spend: (times: ComputeTimes) => void,
): Promise<ReadonlyMap<string, EnsembleTensor>> => {
  const tensors = ensembleInputs(plan, request);
  const started = new Map<number, Promise<void>>();
  let failed = false;
  const start = (index: number): Promise<void> => {
    const known = started.get(index);
    if (known !== undefined) return known;
    const running = run(index);
    started.set(index, running);
    return running;
  };
  const run = async (index: number): Promise<void> => {
    const step = plan.steps[index] as EnsembleStep;
    const producers = new Set(
      [...step.inputs.values()].flatMap((tensor) => plan.producers.get(tensor) ?? []),
    );
    await Promise.all([...producers].map(start));
    if (failed) return;
    try {
      if (request.signal?.aborted === true) throw cancelled(request.id);
      const times = await runStep(step, host, request, tensors);
      if (times !== undefined) spend(times);
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  await Promise.all([...stepsFor(plan, request.outputs)].map(start));
  return tensors;
};

const runStep = async (
  step: EnsembleStep,
  host: EnsembleHost,
  request: ModelRequest,
  tensors: Map<string, EnsembleTensor>,
): Promise<ComputeTimes | undefined> => {
  const asked = requestStep(step, host, request, tensors);
  const { response, times } = await host.infer(asked.request, asked.asker);
  for (const [name, tensor] of asked.take(response.outputs)) tensors.set(name, tensor);
  return times;
};
