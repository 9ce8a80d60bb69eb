import { isDType, type NamedTensors, type Scalar, type Signature } from "@tritype/core";
import { requestTensors } from "@tritype/protocol";
import type { Endpoint } from "@tritype/endpoint";
import type { ModelMetadata, TensorMetadata } from "@tritype/runtime";
import type { ModelConfig } from "@tritype/triton";
import { cliError } from "./errors.ts";

/** Elements in nested lists, or a single element. */
export type Nested = Scalar | readonly Nested[];

/** An input of a model. */
export interface InputMetadata extends TensorMetadata {
  /** Whether a request may omit it. Default false. */
  readonly optional?: boolean;
}

export interface DescribedModel extends ModelMetadata {
  readonly inputs: readonly InputMetadata[];
}

/** A model's metadata, with the optional inputs, which only its configuration contains. */
export const describeModel = async (endpoint: Endpoint, model: string): Promise<DescribedModel> => {
  const metadata = await endpoint.metadata(model);
  // KServe servers other than Triton have no configurations.
  const { input = [] } = await endpoint.config(model).catch((): ModelConfig => ({}));
  const isOptional = (tensor: string): boolean =>
    input.some(({ name, optional }) => name === tensor && optional === true);
  return {
    ...metadata,
    inputs: metadata.inputs.map((one) => (isOptional(one.name) ? { ...one, optional: true } : one)),
  };
};

/** `FP32[-1, 4]` */
export const showType = ({ datatype, shape }: TensorMetadata): string => `${datatype}[${shape.join(", ")}]`;

/**
 * Converts plain values to tensors for a model's inputs. Dims of size 1 and the batch of a single row may be omitted.
 * @throws PipelineError `request/invalid` that names the input.
 */
export const requestInputs = (
  model: string,
  inputs: readonly InputMetadata[],
  values: ReadonlyMap<string, Nested>,
): NamedTensors =>
  requestTensors(model, signatureOf(model, inputs), values, {
    mayLeaveOut: (dim) => dim === 1 || dim === -1,
    howToPass: (input) => `pass it: --input ${input}=…`,
  });

/** A server's description of a model's tensors, as a signature. @throws PipelineError `request/invalid` */
export const signatureOf = (model: string, tensors: readonly InputMetadata[]): Signature =>
  Object.fromEntries(
    tensors.map((tensor) => {
      const { name, datatype, shape, optional } = tensor;
      if (!isDType(datatype))
        throw cliError("request/unknown-datatype", { tensor: name, model, type: showType(tensor) });
      return [name, { dtype: datatype, dims: shape, ...(optional === true ? { optional } : {}) }];
    }),
  );
