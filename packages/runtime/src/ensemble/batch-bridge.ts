import type { TensorData } from "@tritype/core";

/** A tensor inside an ensemble and the batch size of the request that made it: 0 where its model is not batched. */
export interface EnsembleTensor {
  readonly tensor: TensorData;
  readonly batch: number;
}

/**
 * The tensor as the next model wants it. Where one side is batched and the other is not: a shape that equals the wanted dims gets
 * a batch of 1 in front, a batch of 1 that is in the way is taken off, everything else goes on as it is.
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
