import type { DType } from "./dtype.ts";

/** A size, or a name: equal names mean equal sizes. `-1` is an unknown size. */
export type Dim = number | string;
export type Dims = readonly Dim[];

/** The type of a tensor, as a signature declares it. Plain data. */
export interface TensorType<out D extends DType = DType, out S extends Dims = Dims> {
  readonly dtype: D;
  readonly dims: S;
}

/** An input that a request may omit (Triton: `optional: true`). */
export interface OptionalTensorType<out D extends DType = DType, out S extends Dims = Dims>
  extends TensorType<D, S> {
  readonly optional: true;
}

/** An output that a model may send any number of times for one request (Triton: a decoupled model). */
export interface StreamTensorType<out D extends DType = DType, out S extends Dims = Dims>
  extends TensorType<D, S> {
  readonly stream: true;
}

/** Names and tensor types of a step's inputs or outputs. */
export interface Signature {
  readonly [name: string]: TensorType;
}

export const isOptional = (type: TensorType): type is OptionalTensorType =>
  "optional" in type && type.optional === true;

export const isStream = (type: TensorType): type is StreamTensorType =>
  "stream" in type && type.stream === true;

/** `FP32[batch, 384]`, the one notation of tensor types in every message. */
export const showType = (type: { readonly dtype: string; readonly dims: Dims }): string =>
  `${type.dtype}${showDims(type.dims)}`;

/** `[batch, 384]`. A fresh name such as `seq#2` is shown as `seq`. */
export const showDims = (dims: Dims): string => `[${dims.map(showDim).join(", ")}]`;

/** Sizes from different calls have different internal names, but users see the name that they wrote. */
export const showDim = (dim: Dim): string => String(dim).replace(/(?:#\d+)+$/, "");

/** The dims of a tensor in requests: Triton does not support tensors with only the batch dim, so a size-1 dim follows it. */
export const wireDims = (dims: Dims): Dims =>
  dims.length === 1 && dims[0] === "batch" ? ["batch", 1] : dims;
