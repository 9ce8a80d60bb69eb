import type { PipelineError } from "@tritype/core";
import { isDecoupled, type ModelConfig } from "@tritype/triton";
import {
  type Afterwards,
  type ComputeTimes,
  type LoadedModel,
  type ModelRequest,
  type ModelResult,
  secondAnswer,
} from "../backend.ts";
import { cancelled } from "../scheduling/cancellation.ts";
import {
  type EnsemblePlan,
  type EnsembleStep,
  planEnsemble,
  refuseDeadlock,
  stepsFor,
} from "./ensemble-plan.ts";
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
  const streams = isDecoupled(config);
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
  const progress = { running: 0 };
  try {
    refuseDeadlock(plan, request);
    const times = { input: 0, infer: 0, output: 0 };
    const { tensors, afterwards } = await runSteps(plan, host, request, progress, (spent) => {
      times.input += spent.input;
      times.infer += spent.infer;
      times.output += spent.output;
    });
    const error = afterwards?.error && failureIn(plan, afterwards.error);
    return {
      outputs: ensembleOutputs(plan, request, tensors),
      times,
      ...(afterwards && { afterwards: { ...afterwards, error }, countsTwice: true }),
    };
  } catch (error) {
    return { error: failureIn(plan, error), countsTwice: progress.running === 0 };
  }
};

const failureIn = ({ name }: EnsemblePlan, error: unknown): PipelineError =>
  failureAt(`in ensemble '${name}', `, error);

interface RanSteps {
  readonly tensors: ReadonlyMap<string, EnsembleTensor>;
  /** From the step that was the last to finish. */
  readonly afterwards: Afterwards | undefined;
}

/** Every tensor that the requested outputs depend on. An output that a step does not return is absent, as in Triton. */
const runSteps = async (
  plan: EnsemblePlan,
  host: EnsembleHost,
  request: ModelRequest,
  progress: { running: number },
  spend: (times: ComputeTimes) => void,
): Promise<RanSteps> => {
  const tensors = ensembleInputs(plan, request);
  const started = new Map<number, Promise<void>>();
  const needed = stepsFor(plan, request.outputs);
  let left = needed.size;
  let afterwards: Afterwards | undefined;
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
      progress.running++;
      const ran = await runStep(step, host, request, tensors).finally(() => void progress.running--);
      if (ran.times !== undefined) spend(ran.times);
      // The ensemble's response is sent with that of its last step; before that, an error ends the request.
      const second = secondAnswer(ran.afterwards);
      if (--left === 0) afterwards = ran.afterwards;
      else if (second !== undefined) throw second;
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  await Promise.all([...needed].map(start));
  return { tensors, afterwards };
};

const runStep = async (
  step: EnsembleStep,
  host: EnsembleHost,
  request: ModelRequest,
  tensors: Map<string, EnsembleTensor>,
): Promise<Omit<Awaited<ReturnType<EnsembleHost["infer"]>>, "response">> => {
  const asked = requestStep(step, host, request, tensors);
  const ran = await host.infer(asked.request, asked.asker);
  asked.take(ran.response.outputs, tensors);
  return ran;
};
