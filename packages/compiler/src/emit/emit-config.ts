import {
  type Dim,
  dtypes,
  invariant,
  isOptional,
  type Signature,
  type StepDefinition,
  type TensorType,
} from "@tritype/core";
import type { ModelConfig, ModelInput, ModelOutput } from "@tritype/triton";
import type { PlannedCall } from "./plan-ensemble.ts";

/**
 * The tensors of a batched model without the batch dim, with named sizes as -1. A tensor with only the batch dim has
 * dims [1], reshaped to [].
 */
export const configInputs = (signature: Signature, batched: boolean): readonly ModelInput[] =>
  Object.entries(signature).map(([name, type]) => ({
    ...tensor(name, type, batched),
    ...(isOptional(type) ? { optional: true } : {}),
  }));

export const configOutputs = (signature: Signature, batched: boolean): readonly ModelOutput[] =>
  Object.entries(signature).map(([name, type]) => tensor(name, type, batched));

const tensor = (name: string, type: TensorType, batched: boolean): ModelOutput => {
  const dims = (batched ? type.dims.slice(1) : type.dims).map(sizeOf);
  const data_type = dtypes[type.dtype].configName as NonNullable<ModelOutput["data_type"]>;
  return dims.length === 0
    ? { name, data_type, dims: [1], reshape: { shape: [] } }
    : { name, data_type, dims };
};

const sizeOf = (dim: Dim): number => (typeof dim === "number" ? dim : -1);

/** The configuration of the ensemble itself: its tensors, and the wiring of its models. */
export const ensembleConfig = (
  ensemble: StepDefinition,
  outputs: Signature,
  calls: readonly PlannedCall[],
  maxBatchSize: number,
): ModelConfig => {
  const batched = maxBatchSize > 0;
  invariant(calls.length > 0, `ensemble ${ensemble.name} has no calls`);
  return {
    name: ensemble.name,
    platform: "ensemble",
    max_batch_size: maxBatchSize,
    input: configInputs(ensemble.inputs, batched).map(withoutReshape),
    output: configOutputs(outputs, batched).map(withoutReshape),
    ensemble_scheduling: {
      ...inflightLimit(ensemble),
      step: calls.map(({ model, version, inputs, outputs: made }) => ({
        model_name: model,
        model_version: version,
        input_map: inputs,
        output_map: made,
      })),
    },
  };
};

const inflightLimit = ({ options }: StepDefinition): { readonly max_inflight_requests?: number } => {
  const limit = options["maxInflightRequests"];
  return typeof limit === "number" ? { max_inflight_requests: limit } : {};
};

/** Triton compares an ensemble's reshaped dims with its members' raw dims (rule 123), so the ensemble itself never reshapes. */
const withoutReshape = <T extends ModelInput | ModelOutput>(tensor: T): Omit<T, "reshape"> => {
  const { reshape: _reshape, ...rest } = tensor;
  return rest;
};

/** Fields of individual tensors, by name, merged over those from the signature. */
export const withTensorFields = <T extends ModelInput | ModelOutput>(
  tensors: readonly T[],
  fields: readonly T[] | undefined,
): readonly T[] =>
  tensors.map((tensor) => ({ ...tensor, ...fields?.find(({ name }) => name === tensor.name) }));
