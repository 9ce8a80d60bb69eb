import type { ManifestEnsemble, ManifestTensor } from "@tritype/manifest";
import { neededOf, type Tensors } from "./open-api-schemas.ts";

/** A request that fits the ensemble's types: one row, sizes of 1, zeros and short strings; undefined if it has over 1,000 elements. */
export const exampleRequest = ({ inputs }: ManifestEnsemble): object | undefined => {
  const needed = neededInputs(inputs);
  return needed && { inputs: needed.map(([name, tensor]) => exampleTensor(name, tensor)) };
};

/** The same in the form of `generate_stream`. */
export const exampleFlatRequest = ({ inputs }: ManifestEnsemble): object | undefined => {
  const needed = neededInputs(inputs);
  return needed && Object.fromEntries(needed.map(([name, tensor]) => [name, exampleElements(tensor)]));
};

/** The inputs that a request must have; undefined if one has over 1,000 elements. */
const neededInputs = (inputs: Tensors): ReturnType<typeof neededOf> | undefined => {
  const needed = neededOf(inputs);
  return needed.some(([, tensor]) => sizeOf(shapeOf(tensor)) > 1000) ? undefined : needed;
};

/** The response to the example request, without the computed values; undefined if it is too long to be readable. */
export const exampleResponse = ({ name, outputs }: ManifestEnsemble): object | undefined =>
  Object.values(outputs).some((tensor) => sizeOf(shapeOf(tensor)) > 16)
    ? undefined
    : {
        model_name: name,
        model_version: "1",
        outputs: Object.entries(outputs).map(([output, tensor]) => exampleTensor(output, tensor)),
      };

const shapeOf = ({ dims }: ManifestTensor): readonly number[] =>
  dims.map((dim) => (typeof dim === "number" && dim >= 0 ? dim : 1));
const sizeOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

const exampleTensor = (name: string, tensor: ManifestTensor): object => ({
  name,
  shape: shapeOf(tensor),
  datatype: tensor.dtype,
  data: exampleElements(tensor),
});

const exampleElements = (tensor: ManifestTensor): readonly unknown[] => {
  const element = tensor.dtype === "BYTES" ? "a text" : tensor.dtype === "BOOL" ? true : 0;
  return Array.from({ length: sizeOf(shapeOf(tensor)) }, () => element);
};
