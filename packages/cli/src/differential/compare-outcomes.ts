import { type NamedTensors, type TensorData, valuesOf, PipelineError } from "@tritype/core";
import type { Endpoint } from "@tritype/endpoint";

/** The result of a request: tensors, or its error message. */
export type Outcome =
  | { readonly kind: "outputs"; readonly outputs: NamedTensors }
  | { readonly kind: "error"; readonly code: string; readonly text: string };

/** Sends a request; failures other than the model's own are thrown. */
export const outcomeOf = async (
  endpoint: Endpoint,
  model: string,
  inputs: NamedTensors,
): Promise<Outcome> => {
  try {
    return { kind: "outputs", outputs: await endpoint.infer(model, inputs) };
  } catch (error) {
    if (!PipelineError.is(error)) throw error;
    return { kind: "error", code: error.code, text: error.message };
  }
};

/**
 * Whether both outcomes are equal: names, dtypes, shapes and every element, or the error's code and message. NaN equals NaN, 0 does not
 * equal -0.
 */
export const sameOutcome = (a: Outcome, b: Outcome): boolean => {
  if (a.kind === "error" || b.kind === "error")
    return a.kind === "error" && b.kind === "error" && a.code === b.code && a.text === b.text;
  return (
    a.outputs.size === b.outputs.size &&
    [...a.outputs].every(([name, tensor]) => sameTensor(tensor, b.outputs.get(name)))
  );
};

const sameTensor = (a: TensorData, b: TensorData | undefined): boolean => {
  if (a.dtype !== b?.dtype || String(a.shape) !== String(b.shape)) return false;
  const [left, right] = [valuesOf(a), valuesOf(b)];
  return left.every((value, index) => Object.is(value, right[index]));
};
