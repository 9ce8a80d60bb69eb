import type { TensorData } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import type { ModelRequest } from "../backend.ts";

/** Whether a request may run in the batch that `first` began. */
export type MergeRule = (first: ModelRequest, next: ModelRequest) => boolean;

/**
 * Inputs of variable size must agree in all dims except the batch, unless they are ragged; shape tensors must also
 * agree in their values. With optional inputs, both requests must contain the same ones. Source: `RequiredEqualInputs`
 * of Triton core.
 */
export const createMergeRule = ({ input = [] }: ModelConfig): MergeRule => {
  const optional = input.some((one) => one.optional === true);
  const equal = input.filter(
    ({ dims = [], allow_ragged_batch = false, is_shape_tensor = false }) =>
      is_shape_tensor || (!allow_ragged_batch && dims.some((dim) => dim < 0)),
  );
  const shapes = equal.map(({ name = "" }) => name);
  const values = equal.flatMap(({ name = "", is_shape_tensor }) => (is_shape_tensor === true ? [name] : []));
  return (first, next) =>
    (!optional || sameKeys(first.inputs, next.inputs)) &&
    shapes.every((name) => sameShape(first.inputs.get(name), next.inputs.get(name))) &&
    values.every((name) => sameBytes(first.inputs.get(name), next.inputs.get(name)));
};

const sameKeys = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean =>
  a.size === b.size && [...a.keys()].every((key) => b.has(key));

const sameShape = (a: TensorData | undefined, b: TensorData | undefined): boolean => {
  if (a === undefined || b === undefined) return a === b;
  if (a.shape.length !== b.shape.length) return false;
  for (let i = 1; i < a.shape.length; i++) if (a.shape[i] !== b.shape[i]) return false;
  return true;
};

const sameBytes = (a: TensorData | undefined, b: TensorData | undefined): boolean =>
  a !== undefined &&
  b !== undefined &&
  a.data.length === b.data.length &&
  a.dtype !== "BYTES" &&
  b.dtype !== "BYTES" &&
  a.data.every((byte, i) => byte === b.data[i]);
