import {
  type Dim,
  type Diagnostic,
  dtypes,
  invariant,
  isOptional,
  type Signature,
  type StepDefinition,
  type TensorType,
} from "@tritype/core";
import { lowerModelFields, type ModelConfig, type ModelInput, type ModelOutput } from "@tritype/triton";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import type { PlannedCall } from "./plan-ensemble.ts";

/** The DSL's fields that go into a model's configuration as they are. */
const authorFields = [
  "instanceGroup",
  "versionPolicy",
  "optimization",
  "responseCache",
  "parameters",
  "ccModelFilenames",
  "modelTransactionPolicy",
  "modelOperations",
  "modelRepositoryAgents",
  "dynamicBatching",
] as const;

/** What the author said of the model's configuration, in Triton's names; `defaults` fill what he left out. */
export const authorConfig = (
  step: StepDefinition,
  defaults: Readonly<Record<string, unknown>> = {},
): { readonly config: Partial<ModelConfig>; readonly diagnostics: readonly Diagnostic[] } => {
  const fields = Object.fromEntries(
    authorFields.flatMap((field) => {
      const value = step.options[field] ?? defaults[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const lowered = lowerModelFields(fields);
  return "problem" in lowered
    ? {
        config: {},
        diagnostics: [
          diagnose("model/bad-field", {
            with: { step: step.name, problem: lowered.problem.message },
            labels: definedAt(step),
          }),
        ],
      }
    : { config: lowered.config, diagnostics: [] };
};

/** The tensors of a batched model without the batch dim, names as -1; a tensor of the batch alone is [1] outside and [] inside. */
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

/** The ensemble itself: its tensors and which model runs on which. */
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
      step: calls.map(({ model, inputs, outputs: made }) => ({
        model_name: model,
        model_version: -1,
        input_map: inputs,
        output_map: made,
      })),
    },
  };
};

/** Triton compares an ensemble's reshaped dims with its members' raw dims (rule 123), so the ensemble itself never reshapes. */
const withoutReshape = <T extends ModelInput | ModelOutput>(tensor: T): Omit<T, "reshape"> => {
  const { reshape: _reshape, ...rest } = tensor;
  return rest;
};
