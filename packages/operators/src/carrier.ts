import { type DType, dtypes } from "@tritype/core";
import type { OnnxBuilder } from "./operator.ts";

/**
 * The dtypes for which ONNX Runtime's CPU provider has no kernel of an op at opset 17, each with a dtype that gives the
 * same result. The op runs in that dtype between two casts. Source: every op was tried with every dtype on ONNX Runtime
 * 1.16, 1.19 (Triton 24.01 and 24.10) and 1.30. A dtype is listed if its kernel is missing in any of them.
 */
export type Carriers = Partial<Readonly<Record<DType, DType>>>;

/**
 * Carriers for Add, Sub, Mul and Equal, and for Div, Greater and Less on all dtypes except UINT64. Casting back wraps
 * modulo 2^bits.
 */
export const arithmeticCarriers: Carriers = {
  INT8: "INT32",
  INT16: "INT32",
  UINT8: "INT32",
  UINT16: "INT32",
  UINT32: "INT64",
  UINT64: "INT64",
};
/** Min, Max, Clip, Pad, Neg. */
export const orderCarriers: Carriers = { INT8: "INT32", INT16: "INT32", UINT8: "INT32", UINT16: "INT32" };
/** ReduceMax, ReduceMin, ArgMax, ArgMin, TopK. Neither these ops nor any carrier can order UINT64. */
export const rankCarriers: Carriers = { ...orderCarriers, UINT32: "INT64" };
/** ReduceSum, ReduceProd, Einsum; casting back wraps modulo 2^bits, as a kernel of the dtype would. */
export const sumCarriers: Carriers = {
  INT8: "INT64",
  INT16: "INT64",
  UINT8: "INT64",
  UINT16: "INT64",
  UINT32: "INT64",
  UINT64: "INT64",
};
/** MatMul; wraps as above. */
export const matmulCarriers: Carriers = { INT8: "INT32", INT16: "INT32", UINT8: "UINT32", UINT16: "UINT32" };
/** Ops that are computed in single precision, or that lose NaN in half precision: Sign, the terms of Gelu. */
export const halfCarriers: Carriers = { FP16: "FP32" };
export const powCarriers: Carriers = {
  INT8: "INT64",
  INT16: "INT64",
  UINT8: "INT64",
  UINT16: "INT64",
  UINT32: "INT64",
};
/** Where only moves elements, so any dtype that preserves the bits works. */
export const whereCarriers: Carriers = {
  BOOL: "UINT8",
  INT8: "INT32",
  INT16: "INT32",
  UINT16: "INT32",
  UINT32: "INT64",
  UINT64: "INT64",
};

export const castNode = (builder: OnnxBuilder, name: string, to: DType): string =>
  builder.node("Cast", [name], { to: { int: dtypes[to].onnxType } })[0];

/** Runs `emit` on the inputs, in the carrier of `dtype` if it has one; the result has `dtype` again. */
export const carried = (
  builder: OnnxBuilder,
  carriers: Carriers,
  dtype: DType,
  inputs: readonly string[],
  emit: (inputs: readonly string[], dtype: DType) => string,
): string => {
  const carrier = carriers[dtype];
  if (carrier === undefined) return emit(inputs, dtype);
  const inside = inputs.map((name) => castNode(builder, name, carrier));
  return castNode(builder, emit(inside, carrier), dtype);
};

/** The value in the carrier of its dtype, or unchanged. */
export const castInto = (builder: OnnxBuilder, carriers: Carriers, name: string, dtype: DType): string => {
  const carrier = carriers[dtype];
  return carrier === undefined ? name : castNode(builder, name, carrier);
};
