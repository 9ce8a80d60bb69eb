import type { TensorData } from "@tritype/core";

/** A tensor inside an ensemble and the batch size of the request that produced it: 0 if its model is not batched. */
export interface EnsembleTensor {
  readonly tensor: TensorData;
  readonly batch: number;
}

/**
 * The tensor in the form that the next model expects. If only one side is batched: a shape that equals the expected
 * dims gets a leading batch of 1, a superfluous batch of 1 is removed, and everything else is passed on unchanged.
 * Source: `EnsembleContext::ReshapeTensorDims` of Triton core.
 */
export const bridgeBatch = (
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
