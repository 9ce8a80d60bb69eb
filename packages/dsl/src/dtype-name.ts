import type { Dim, Dims, DType, OptionalTensorType, TensorType } from "@tritype/core";
import type { JsonTensorType } from "./json.ts";

/** `fp32("batch", 384)` is the type FP32[batch, 384]; `fp32` itself names the dtype, as in `x.cast(fp32)`. */
export interface DTypeName<D extends DType> {
  <const S extends Dim[]>(...dims: S): TensorType<D, S>;
  readonly dtype: D;
}

const named = <D extends DType>(dtype: D): DTypeName<D> =>
  Object.assign(<const S extends Dim[]>(...dims: S): TensorType<D, S> => ({ dtype, dims }), { dtype });

export const bool: DTypeName<"BOOL"> = named("BOOL");
export const int8: DTypeName<"INT8"> = named("INT8");
export const int16: DTypeName<"INT16"> = named("INT16");
export const int32: DTypeName<"INT32"> = named("INT32");
export const int64: DTypeName<"INT64"> = named("INT64");
export const uint8: DTypeName<"UINT8"> = named("UINT8");
export const uint16: DTypeName<"UINT16"> = named("UINT16");
export const uint32: DTypeName<"UINT32"> = named("UINT32");
export const uint64: DTypeName<"UINT64"> = named("UINT64");
export const fp16: DTypeName<"FP16"> = named("FP16");
export const fp32: DTypeName<"FP32"> = named("FP32");
export const fp64: DTypeName<"FP64"> = named("FP64");
export const bf16: DTypeName<"BF16"> = named("BF16");
/**
 * Bytes of any length per element: text (UTF-8), JSON or encoded images. This is TYPE_STRING in Triton's configuration and BYTES on the
 * wire.
 */
export const bytes: DTypeName<"BYTES"> = named("BYTES");

/** An input that a request may omit (Triton: `optional: true`). */
export function optional<T>(
  type: JsonTensorType<T>,
): JsonTensorType<T> & OptionalTensorType<"BYTES", ["batch", 1]>;
export function optional<D extends DType, S extends Dims>(type: TensorType<D, S>): OptionalTensorType<D, S>;
export function optional(type: TensorType): OptionalTensorType {
  return { ...type, optional: true };
}
