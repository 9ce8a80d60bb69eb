import type { Dim, Dims, DType } from "@tritype/core";
import { dtypeArgument } from "@tritype/operators";
import { callSite } from "./call-site.ts";
import type { AxisIndex, AxisOf, Broadcast, SetAt, ShowDims } from "./dims.ts";
import type { DTypeName } from "./dtype-name.ts";
import { handle, needTensor, only, recordConstant, recordOperator } from "./handle.ts";
import type { Show } from "./show.ts";
import { addRecipe } from "./trace.ts";
import type { Bool, Float, Indices } from "./receivers.ts";
import type { AnyTensor } from "./any-tensor.ts";
import type { BroadcastOf, Choosable, Known } from "./elementwise.ts";
import type { Reduced, StreamTensor, Tensor } from "./tensor.ts";
import { dslError } from "./errors.ts";

/** `whenTrue` where `condition` is true, otherwise `whenFalse`; all three broadcast. ONNX Where. */
export const where = <C extends AnyTensor, A extends AnyTensor, const B extends AnyTensor | number>(
  condition: Bool<C>,
  whenTrue: A,
  whenFalse: [B] extends [Choosable<A["dtype"], A["dims"], B>] ? B : Choosable<A["dtype"], A["dims"], B>,
): Tensor<A["dtype"], Known<Broadcast<C["dims"], BroadcastOf<A["dims"], B>>>> => {
  needTensor("where", "whenTrue", whenTrue);
  const site = callSite(where);
  const other =
    typeof whenFalse === "number" ? recordConstant(whenTrue.dtype, [], [whenFalse], site) : whenFalse;
  return only(recordOperator("where", [condition, whenTrue, other], {}, site)) as never;
};

/**
 * Gives the result of tensor math on a stream the type of a tensor that may arrive any number of times.
 * An ensemble that streams needs at least one output with such a type; the build checks it.
 */
export const stream = <D extends DType, const S extends Dims>(x: Tensor<D, S>): StreamTensor<D, S> => {
  needTensor("stream", "x", x);
  return Object.assign(handle(x.dtype, x.dims, x["~node"]), { stream: true as const }) as never;
};

type Concatenable<T extends readonly AnyTensor[], S extends Dims, P> = {
  [I in keyof T]: [T[I]["dtype"]] extends [T[0]["dtype" & keyof T[0]]]
    ? SetAt<T[I]["dims"], P, 0> extends SetAt<S, P, 0>
      ? T[I]
      : `✗ ${Show<T[I]["dtype"], T[I]["dims"]>} differs from [${ShowDims<S>}] outside the axis`
    : `✗ ${Show<T[I]["dtype"], T[I]["dims"]>}: all tensors of a concat must have the dtype of the first`;
};

/**
 * Joins tensors with the same dtype and rank along an axis. The compiler knows the size of that axis; in types it is
 * -1. ONNX Concat.
 */
export const concat = <
  const T extends readonly [AnyTensor, ...AnyTensor[]],
  A extends AxisOf<T[0]["dims"]> | -1,
>(
  tensors: Concatenable<T, T[0]["dims"], AxisIndex<T[0]["dims"], A>>,
  axis: A,
): Tensor<T[0]["dtype"], SetAt<T[0]["dims"], AxisIndex<T[0]["dims"], A>, -1>> => {
  if (!Array.isArray(tensors)) throw dslError("operator/no-list", {});
  return only(recordOperator("concat", tensors, { axis }, callSite(concat))) as never;
};

/** A constant tensor. `values` are in row-major order, or a single value for every element. */
export const constant = <D extends DType, const S extends number[] = []>(
  dtype: DTypeName<D>,
  values: readonly (number | bigint | string | boolean)[] | number | bigint | string | boolean,
  ...dims: S
): Tensor<D, S> => {
  const count = dims.reduce<number>((n, dim) => n * dim, 1);
  const all = typeof values === "object" ? values : Array.from({ length: count }, () => values);
  return recordConstant(dtypeArgument(dtype) as D, dims, all, callSite(constant)) as never;
};

/** The text at each index: an ONNX Gather on a constant list of strings. */
export const lookup = <I extends AnyTensor>(
  indices: Indices<I>,
  labels: readonly string[],
): Tensor<"BYTES", I["dims"]> =>
  only(recordOperator("lookup", [indices], { labels }, callSite(lookup))) as never;

type MaskOf<H extends AnyTensor, M extends AnyTensor> = M["dtype"] extends "INT64" | "INT32" | "BOOL"
  ? MaskDims<H, M>
  : `✗ ${Show<M["dtype"], M["dims"]>} is not a mask: INT64, INT32 or BOOL`;
type MaskDims<H extends AnyTensor, M extends AnyTensor> = H["dims"] extends readonly [
  infer B,
  infer T,
  ...Dims,
]
  ? M["dims"] extends readonly [B | -1, T | -1]
    ? M
    : `✗ the mask of ${Show<H["dtype"], H["dims"]>} must have its first two dims, got ${Show<M["dtype"], M["dims"]>}`
  : number extends H["dims"]["length"]
    ? M
    : `✗ mean pooling needs [batch, seq, size], got ${Show<H["dtype"], H["dims"]>}`;

/**
 * Mean over axis 1 of `hidden` [batch, seq, size], only where `mask` [batch, seq] is 1, so that padding has no effect. A row
 * whose mask is all 0 gives zeros.
 */
export const meanPool = <H extends AnyTensor, M extends AnyTensor>(
  hidden: Float<H>,
  mask: M extends MaskOf<H, M> ? M : MaskOf<H, M>,
): Tensor<H["dtype"], Reduced<H["dims"], 1, false>> => {
  needTensor("meanPool", "hidden", hidden);
  needTensor("meanPool", "mask", mask);
  const x = hidden as unknown as Tensor<"FP32", ["batch", "seq", number]>;
  const m = mask as unknown as Tensor<"INT64", ["batch", "seq"]>;
  return addRecipe("meanPool", [x["~node"], m["~node"]], callSite(meanPool), () => {
    const weights = m.cast({ dtype: x.dtype } as DTypeName<"FP32">).unsqueeze(-1);
    return x.mul(weights).sum(1).div(weights.sum(1).clip(1e-9, Infinity)) as never;
  });
};

/** Scales each vector along the last axis to length 1; a zero vector stays zero. */
export const l2Normalize = <X extends AnyTensor>(x: Float<X>): Tensor<X["dtype"], X["dims"]> => {
  needTensor("l2Normalize", "x", x);
  const v = x as unknown as Tensor<"FP32", ["batch", Dim & 384]>;
  return addRecipe("l2Normalize", [v["~node"]], callSite(l2Normalize), () => {
    const length = v.mul(v).sum(-1, { keepDims: true }).sqrt().clip(1e-12, Infinity);
    return v.div(length) as never;
  });
};
