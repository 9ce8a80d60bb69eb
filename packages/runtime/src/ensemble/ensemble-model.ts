import { rowsOf, type TensorData } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { Asker, ComputeTimes, LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import type { InferRequest, InferResponse } from "../runtime.ts";
import { cancelled } from "../scheduling/cancellation.ts";
import { type EnsemblePlan, type EnsembleStep, planEnsemble, stepsFor } from "./ensemble-plan.ts";
import { failureAt } from "../failure-at.ts";

/** The operations that an ensemble needs from the models around it. */
export interface EnsembleHost {
  infer(
    request: InferRequest,
    asker: Asker,
  ): Promise<{ readonly response: InferResponse; readonly times?: ComputeTimes }>;
  /** Configuration of the model version that `infer` would use. */
  config(model: string, version: string | undefined): ModelConfig;
}

/**
 * An ensemble as a model. A step runs as soon as its inputs are available, and branches run in parallel. Only steps
 * that the requested outputs depend on run, and none after the request is cancelled. Its compute times are the sums of
 * those of its steps. Source: `EnsembleContext` of Triton core.
 */
export const createEnsemble = (config: ModelConfig, host: EnsembleHost): LoadedModel => {
  const plan = planEnsemble(config);
  return {
    execute: (requests) => Promise.all(requests.map((request) => runEnsemble(plan, host, request))),
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
    const outputs = new Map<string, TensorData>();
    for (const { name, dims } of plan.outputs) {
      const made = request.outputs.includes(name) ? tensors.get(name) : undefined;
      if (made !== undefined) outputs.set(name, bridgeBatch(made, dims, plan.batched));
    }
    return { outputs, times };
  } catch (error) {
    return { error: failureAt(`in ensemble '${plan.name}', `, error) };
  }
};

/** Every tensor that the requested outputs depend on; a step's missing output is simply absent, as in Triton. */
const runSteps = async (
  plan: EnsemblePlan,
  host: EnsembleHost,
  request: ModelRequest,
  spend: (times: ComputeTimes) => void,
): Promise<ReadonlyMap<string, EnsembleTensor>> => {
  const batch = plan.batched ? rowsOf(request.inputs) : 0;
  const tensors = new Map<string, EnsembleTensor>();
  for (const [name, tensor] of request.inputs) tensors.set(name, { tensor, batch });

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
  const config = host.config(step.model, step.version);
  const batched = (config.max_batch_size ?? 0) > 0;
  const inputs = new Map<string, TensorData>();
  for (const { name = "", dims = [] } of config.input ?? []) {
    const made = tensors.get(step.inputs.get(name) ?? "");
    if (made !== undefined) inputs.set(name, bridgeBatch(made, dims, batched));
  }
  const { signal, callers } = request;
  const asked = {
    model: step.model,
    ...(step.version === undefined ? {} : { version: step.version }),
    id: request.id,
    inputs,
    outputs: [...step.outputs.keys()],
    parameters: request.parameters,
  };
  const { response, times } = await host.infer(asked, { signal, callers });
  const batch = batched ? rowsOf(inputs) : 0;
  for (const [name, tensor] of response.outputs) {
    const target = step.outputs.get(name);
    if (target !== undefined) tensors.set(target, { tensor, batch });
  }
  return times;
};

/** A tensor inside an ensemble and the batch size of the request that produced it: 0 if its model is not batched. */
interface EnsembleTensor {
  readonly tensor: TensorData;
  readonly batch: number;
}

/**
 * The tensor in the form that the next model expects. If only one side is batched: a shape that equals the expected
 * dims gets a leading batch of 1, a superfluous batch of 1 is removed, and everything else is passed on unchanged.
 * Source: `EnsembleContext::ReshapeTensorDims` of Triton core.
 */
const bridgeBatch = (
  { tensor, batch }: EnsembleTensor,
  dims: readonly number[],
  batched: boolean,
): TensorData => {
  if (batched === (batch !== 0)) return tensor;
  const equal = fits(dims, tensor.shape);
  if (batched) return equal ? { ...tensor, shape: [1, ...tensor.shape] } : tensor;
  return !equal && batch === 1 ? { ...tensor, shape: tensor.shape.slice(1) } : tensor;
};

const fits = (dims: readonly number[], shape: readonly number[]): boolean =>
  dims.length === shape.length && dims.every((dim, i) => dim === -1 || dim === shape[i]);
