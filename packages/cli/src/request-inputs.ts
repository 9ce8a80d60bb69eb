import { isDType, type NamedTensors, type Scalar, type Signature } from "@tritype/core";
import { requestTensors } from "@tritype/protocol";
import type { TensorMetadata } from "@tritype/runtime";
import { cliError } from "./errors.ts";

/** Elements in nested lists, or a single element. */
export type Nested = Scalar | readonly Nested[];

/** `FP32[-1, 4]` */
export const showType = ({ datatype, shape }: TensorMetadata): string => `${datatype}[${shape.join(", ")}]`;

/**
 * Converts plain values to tensors for a model's inputs. Dims of size 1 and the batch of a single row may be omitted.
 * @throws PipelineError `request/invalid` that names the input.
 */
export const requestInputs = (
  model: string,
  inputs: readonly TensorMetadata[],
  values: ReadonlyMap<string, Nested>,
): NamedTensors =>
  requestTensors(model, signatureOf(model, inputs), values, {
    mayLeaveOut: (dim) => dim === 1 || dim === -1,
    howToPass: (input) => `pass it: --input ${input}=…`,
  });

/** A server's description of a model's tensors, as a signature. @throws PipelineError `request/invalid` */
export const signatureOf = (model: string, tensors: readonly TensorMetadata[]): Signature =>
  Object.fromEntries(
    tensors.map((tensor) => {
      const { name, datatype, shape } = tensor;
      if (!isDType(datatype))
        throw cliError("request/unknown-datatype", { tensor: name, model, type: showType(tensor) });
      return [name, { dtype: datatype, dims: shape }];
    }),
  );
