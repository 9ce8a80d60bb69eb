import type { Dim, Dims, DType, FloatDType, IntDType, NumericDType } from "@tritype/core";
import type {
  AllIndices,
  AxisIndex,
  AxisOf,
  Broadcast,
  DimsFit,
  InsertAt,
  NewAxisOf,
  NewAxisTable,
  RemoveAt,
  ReplaceAt,
  SetAt,
  ShowDims,
} from "./dims.ts";
import type { DTypeName } from "./dtype-name.ts";
import type { Show } from "./show.ts";
import type { NodeRef } from "./trace.ts";

/** Any tensor handle; what constraints compare, so that the methods are never compared structurally. */
export interface AnyTensor {
  readonly dtype: DType;
  readonly dims: Dims;
  readonly "~node": NodeRef;
}

export type Operand = AnyTensor | number | bigint;
type Known<X> = X extends Dims ? X : Dims;

/** The dims of `x op y`. */
export type BroadcastOf<S extends Dims, O> = O extends AnyTensor ? Known<Broadcast<S, O["dims"]>> : S;

/** `O` when it may meet a tensor `D[S]` elementwise, otherwise the sentence that says why not. */
export type Elementwise<D extends DType, S extends Dims, O> = [O] extends [AnyTensor]
  ? [D] extends ["BYTES"]
    ? `✗ ${D} has no arithmetic`
    : [O["dtype"]] extends [D]
      ? Broadcast<S, O["dims"]> extends false
        ? `✗ ${Show<D, S>} and ${Show<O["dtype"], O["dims"]>} do not broadcast`
        : O
      : `✗ ${Show<D, S>} meets ${Show<O["dtype"], O["dims"]>}: ONNX never promotes, cast one side`
  : [D] extends ["BYTES"]
    ? `✗ ${D} has no arithmetic`
    : D extends IntDType
      ? `${O & (number | bigint)}` extends `${string}.${string}`
        ? `✗ ${O & number} is not an integer, the tensor is ${Show<D, S>}: cast it first`
        : O
      : O;

/** `S` without the axis, or with size 1 there. */
export type Reduced<S extends Dims, A, Keep> = number extends S["length"]
  ? Dims
  : A extends Dim
    ? Keep extends true
      ? SetAt<S, AxisIndex<S, A>, 1>
      : RemoveAt<S, AxisIndex<S, A>>
    : Keep extends true
      ? { [I in keyof S]: 1 }
      : [];

export interface KeepDims<Keep extends boolean> {
  readonly keepDims?: Keep;
}

type Squeezable<S extends Dims, A extends Dim> = S[AxisIndex<S, A> & keyof S] extends 1 | -1
  ? A
  : `✗ only an axis of size 1 can go: ${A} of [${ShowDims<S>}] is ${S[AxisIndex<S, A> & keyof S] & Dim}`;

type Last2<S extends Dims> = S extends readonly [
  ...infer B extends Dims,
  infer M extends Dim,
  infer N extends Dim,
]
  ? [B, M, N]
  : never;
export type MatMulDims<A extends Dims, B extends Dims> = number extends A["length"] | B["length"]
  ? Dims
  : Last2<A> extends [infer AB extends Dims, infer M extends Dim, infer K]
    ? Last2<B> extends [infer BB extends Dims, infer K2, infer N extends Dim]
      ? [K] extends [K2]
        ? Broadcast<AB, BB> extends infer R extends Dims
          ? [...R, M, N]
          : false
        : [K | K2] extends [infer U]
          ? -1 extends U
            ? Broadcast<AB, BB> extends infer R extends Dims
              ? [...R, M, N]
              : false
            : false
          : false
      : Dims
    : Dims;

type PermOk<S extends Dims, P extends Dims> = number extends S["length"]
  ? P
  : P["length"] extends S["length"]
    ? [AllIndices<S>] extends [AxisIndex<S, P[number]>]
      ? P
      : { [I in keyof P]: `✗ transpose of [${ShowDims<S>}] takes every axis once` }
    : { [I in keyof P]: `✗ transpose of [${ShowDims<S>}] needs ${S["length"]} axes` };
type Permuted<S extends Dims, P extends Dims> = number extends S["length"]
  ? Dims
  : { -readonly [I in keyof P]: S[AxisIndex<S, P[I]> & keyof S] & Dim };

type Unsqueezed<S extends Dims, A extends number> = S["length"] extends keyof NewAxisTable
  ? InsertAt<S, NewAxisTable[S["length"]][`${A}` & keyof NewAxisTable[S["length"]]], [1]>
  : Dims;

type NamesIn<S extends Dims, P extends readonly Dim[]> = number extends S["length"]
  ? P
  : [Exclude<P[number] & string, S[number]>] extends [never]
    ? P
    : {
        [I in keyof P]: P[I] extends Exclude<P[number] & string, S[number]>
          ? `✗ no dim named ${P[I]} in [${ShowDims<S>}]`
          : P[I];
      };

/** What an elementwise method takes: a tensor of the same dtype that broadcasts, or a number (taken in the tensor's dtype). */
type Other<T extends AnyTensor, O> = [O] extends [Elementwise<T["dtype"], T["dims"], O>]
  ? O
  : Elementwise<T["dtype"], T["dims"], O>;
/** Receivers: `this` is inferred, so that `Tensor` stays covariant and `Tensor<"FP32">` means any FP32 tensor. */
type Numeric<T extends AnyTensor> = T["dtype"] extends NumericDType
  ? T
  : `✗ ${Show<T["dtype"], T["dims"]>} has no numbers`;
export type Float<T extends AnyTensor> = T["dtype"] extends FloatDType
  ? T
  : `✗ ${Show<T["dtype"], T["dims"]>} is not floating point: .cast(fp32) first`;
export type Bool<T extends AnyTensor> = T["dtype"] extends "BOOL"
  ? T
  : `✗ ${Show<T["dtype"], T["dims"]>} is not BOOL: compare first, as in .gt(0)`;
/** What picks elements: whole numbers of 32 or 64 bits. */
export type Indices<T extends AnyTensor> = T["dtype"] extends "INT64" | "INT32"
  ? T
  : `✗ ${Show<T["dtype"], T["dims"]>} holds no indices: .cast(int64) first`;

/**
 * A tensor that flows through a pipeline: its dtype, its dims, and the node that makes it. It holds no values; those exist
 * when the pipeline runs. Every method is one ONNX operator and returns a new tensor.
 */
export interface Tensor<out D extends DType = DType, out S extends Dims = Dims> extends AnyTensor {
  readonly dtype: D;
  readonly dims: S;

  add<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  sub<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  mul<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  div<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  pow<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  minimum<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  maximum<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;

  /** Elementwise comparison; the result is BOOL. */
  eq<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  gt<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  ge<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  lt<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  le<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  and<T extends AnyTensor, O extends AnyTensor>(
    this: Bool<T>,
    other: Bool<O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  or<T extends AnyTensor, O extends AnyTensor>(
    this: Bool<T>,
    other: Bool<O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  not<T extends AnyTensor>(this: Bool<T>): Tensor<"BOOL", T["dims"]>;

  neg<T extends AnyTensor>(this: Numeric<T>): Tensor<T["dtype"], T["dims"]>;
  abs<T extends AnyTensor>(this: Numeric<T>): Tensor<T["dtype"], T["dims"]>;
  sqrt<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  exp<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  log<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  tanh<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  sigmoid<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  relu<T extends AnyTensor>(this: Numeric<T>): Tensor<T["dtype"], T["dims"]>;
  clip<T extends AnyTensor>(this: Numeric<T>, min: number, max: number): Tensor<T["dtype"], T["dims"]>;
  softmax<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1>(
    this: Float<T>,
    axis: A,
  ): Tensor<T["dtype"], T["dims"]>;

  /** Another dtype, same dims. ONNX never promotes: every change of dtype is written. */
  cast<T extends AnyTensor, To extends DType>(this: T, to: DTypeName<To>): Tensor<To, T["dims"]>;

  sum<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  mean<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Float<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  max<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  min<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  /** Index of the largest value; the first on a tie. INT64. */
  argmax<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<"INT64", Reduced<T["dims"], A, K>>;
  topK<T extends AnyTensor, N extends number, A extends AxisOf<T["dims"]> | -1>(
    this: Numeric<T>,
    k: N,
    axis: A,
  ): {
    readonly values: Tensor<T["dtype"], SetAt<T["dims"], AxisIndex<T["dims"], A>, N>>;
    readonly indices: Tensor<"INT64", SetAt<T["dims"], AxisIndex<T["dims"], A>, N>>;
  };

  /** Matrix product of the last two axes; the axes before broadcast. */
  matmul<T extends AnyTensor, O extends AnyTensor>(
    this: Numeric<T>,
    other: O extends MatMulOperand<T["dtype"], T["dims"], O> ? O : MatMulOperand<T["dtype"], T["dims"], O>,
  ): Tensor<T["dtype"], Known<MatMulDims<T["dims"], O["dims"]>>>;

  /** A new axis of size 1, at `axis` of the result. */
  unsqueeze<T extends AnyTensor, A extends NewAxisOf<T["dims"]>>(
    this: T,
    axis: A,
  ): Tensor<T["dtype"], Unsqueezed<T["dims"], A>>;
  squeeze<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1>(
    this: T,
    axis: A extends Squeezable<T["dims"], A> ? A : Squeezable<T["dims"], A>,
  ): Tensor<T["dtype"], RemoveAt<T["dims"], AxisIndex<T["dims"], A>>>;
  transpose<T extends AnyTensor, const P extends readonly Dim[]>(
    this: T,
    ...axes: P extends PermOk<T["dims"], P> ? P : PermOk<T["dims"], P>
  ): Tensor<T["dtype"], Permuted<T["dims"], P>>;
  /** Same elements, other dims; one of them may be -1 (worked out by the compiler). Names must be names of this tensor. */
  reshape<T extends AnyTensor, const P extends Dim[]>(
    this: T,
    ...dims: P extends NamesIn<T["dims"], P> ? P : NamesIn<T["dims"], P>
  ): Tensor<T["dtype"], P>;
  expand<T extends AnyTensor, const P extends Dim[]>(
    this: T,
    ...dims: P
  ): Tensor<T["dtype"], Known<Broadcast<T["dims"], P>>>;
  slice<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1>(
    this: T,
    axis: A,
    start: number,
    end?: number,
  ): Tensor<T["dtype"], SetAt<T["dims"], AxisIndex<T["dims"], A>, -1>>;
  /** One index of an axis (the axis goes), or as many as `indices` holds (its dims stand in place of the axis). */
  gather<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, I extends AnyTensor | number>(
    this: T,
    axis: A,
    indices: I extends AnyTensor ? Indices<I> : I,
  ): Tensor<T["dtype"], ReplaceAt<T["dims"], AxisIndex<T["dims"], A>, I extends AnyTensor ? I["dims"] : []>>;

  /** States dims the compiler can not work out (a name, a size); checked when the pipeline runs. */
  ensureDims<T extends AnyTensor, const P extends Dim[]>(
    this: T,
    ...dims: DimsFit<P, T["dims"]> extends true
      ? P
      : { [I in keyof P]: `✗ [${ShowDims<P>}] contradicts [${ShowDims<T["dims"]>}]` }
  ): Tensor<T["dtype"], P>;
}
type MatMulOperand<D extends DType, S extends Dims, O extends AnyTensor> = [O["dtype"]] extends [D]
  ? MatMulDims<S, O["dims"]> extends false
    ? `✗ ${Show<D, S>} · ${Show<O["dtype"], O["dims"]>}: the inner sizes differ`
    : O
  : `✗ ${Show<D, S>} meets ${Show<O["dtype"], O["dims"]>}: ONNX never promotes, cast one side`;
