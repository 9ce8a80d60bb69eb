import type { DType, FloatDType, IntDType, NumericDType } from "@tritype/core";
import type { AnyTensor } from "./any-tensor.ts";
import type { Show } from "./show.ts";

/** A handle with an unknown dtype is the result of an error that is reported elsewhere; it is accepted to avoid follow-up errors. */
type UnlessUnknown<T extends AnyTensor, Sentence> = DType extends T["dtype"] ? T : Sentence;

/** Receivers: `this` is inferred, so that `Tensor` stays covariant and `Tensor<"FP32">` means any FP32 tensor. */
export type Numeric<T extends AnyTensor> = T["dtype"] extends NumericDType
  ? T
  : UnlessUnknown<T, `✗ ${Show<T["dtype"], T["dims"]>} does not contain numbers`>;
export type Float<T extends AnyTensor> = T["dtype"] extends FloatDType
  ? T
  : UnlessUnknown<T, `✗ ${Show<T["dtype"], T["dims"]>} is not floating point: .cast(fp32) first`>;
export type Bool<T extends AnyTensor> = T["dtype"] extends "BOOL"
  ? T
  : UnlessUnknown<T, `✗ ${Show<T["dtype"], T["dims"]>} is not BOOL: compare first, as in .gt(0)`>;
export type Paddable<T extends AnyTensor> = T["dtype"] extends "BYTES"
  ? UnlessUnknown<T, `✗ ONNX Runtime does not support pad for ${Show<T["dtype"], T["dims"]>}`>
  : T;
export type Keyed<T extends AnyTensor> = T["dtype"] extends "BYTES" | IntDType
  ? T
  : UnlessUnknown<T, `✗ ${Show<T["dtype"], T["dims"]>} cannot contain keys: keys are text or integers`>;
/** Index dtypes: 32-bit or 64-bit integers. */
export type Indices<T extends AnyTensor> = T["dtype"] extends "INT64" | "INT32"
  ? T
  : UnlessUnknown<T, `✗ ${Show<T["dtype"], T["dims"]>} contains no indices: .cast(int64) first`>;
