import { rowsOf, type NamedTensors, type TensorData } from "@tritype/core";
import { fitsDims, type ModelConfig } from "@tritype/triton";
import type { Afterwards, Asker, ComputeTimes, ModelRequest } from "../backend.ts";
import type { InferRequest, InferResponse, StreamedMessage } from "../runtime.ts";
import type { EnsemblePlan, EnsembleStep } from "./ensemble-plan.ts";

/** The operations of other models that an ensemble needs. */
export interface EnsembleHost {
  infer(
    request: InferRequest,
    asker: Asker,
  ): Promise<{
    readonly response: InferResponse;
    readonly times?: ComputeTimes | undefined;
    readonly afterwards?: Afterwards | undefined;
  }>;
  /** The messages of a decoupled model. @throws PipelineError for a request that is refused. */
  stream(
    request: InferRequest,
    asker: Asker,
  ): Required<Pick<AsyncIterator<StreamedMessage>, "next" | "return">>;
  /** The configuration of the model version that `infer` would use. */
  config(model: string, version: string | undefined): ModelConfig;
}

/** A tensor inside an ensemble and the batch size of the request that produced it: 0 if its model is not batched. */
export interface EnsembleTensor {
  readonly tensor: TensorData;
  readonly batch: number;
}

/** The inputs of a request as tensors of the ensemble. */
export const ensembleInputs = (plan: EnsemblePlan, { inputs }: ModelRequest): Map<string, EnsembleTensor> => {
  const batch = plan.batched ? rowsOf(inputs) : 0;
  return new Map([...inputs].map(([name, tensor]) => [name, { tensor, batch }]));
};

/** The requested outputs that the ensemble has produced. */
export const ensembleOutputs = (
  plan: EnsemblePlan,
  request: ModelRequest,
  tensors: ReadonlyMap<string, EnsembleTensor>,
): NamedTensors => {
  const outputs = new Map<string, TensorData>();
  for (const { name, dims } of plan.outputs) {
    const made = request.outputs.includes(name) ? tensors.get(name) : undefined;
    if (made !== undefined) outputs.set(name, bridgeBatch(made, dims, plan.batched));
  }
  return outputs;
};

/** A request to a step's model, and the handling of its response. */
export interface StepRequest {
  readonly request: InferRequest;
  readonly asker: Asker;
  /** Adds the step's outputs to the tensors of the ensemble. An output that the step does not return is absent, as in Triton. */
  take(outputs: NamedTensors, into: Map<string, EnsembleTensor>): void;
}

/** The request to a step for one request to the ensemble. */
export const requestStep = (
  step: EnsembleStep,
  host: EnsembleHost,
  request: ModelRequest,
  tensors: ReadonlyMap<string, EnsembleTensor>,
): StepRequest => {
  const config = host.config(step.model, step.version);
  const batched = (config.max_batch_size ?? 0) > 0;
  const inputs = new Map<string, TensorData>();
  for (const { name = "", dims = [] } of config.input ?? []) {
    const made = tensors.get(step.inputs.get(name) ?? "");
    if (made !== undefined) inputs.set(name, bridgeBatch(made, dims, batched));
  }
  const { signal, callers, trace } = request;
  const batch = batched ? rowsOf(inputs) : 0;
  return {
    request: {
      model: step.model,
      version: step.version,
      id: request.id,
      inputs,
      outputs: [...step.outputs.keys()],
      parameters: request.parameters,
      modelParameters: request.modelParameters,
    },
    asker: { signal, callers, trace: trace?.child() },
    take: (outputs, into) => {
      for (const [name, tensor] of outputs) {
        const target = step.outputs.get(name);
        if (target !== undefined) into.set(target, { tensor, batch });
      }
    },
  };
};

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
  const equal = fitsDims(dims, tensor.shape);
  if (batched) return equal ? { ...tensor, shape: [1, ...tensor.shape] } : tensor;
  return !equal && batch === 1 ? { ...tensor, shape: tensor.shape.slice(1) } : tensor;
};
