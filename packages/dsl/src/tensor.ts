import type { Dim, Dims, DType, IntDType } from "@tritype/core";
import type { AnyTensor } from "./any-tensor.ts";
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
import type { BroadcastOf, Known, Operand, Other } from "./elementwise.ts";
import type { Bool, Float, Indices, Keyed, Numeric, Paddable } from "./receivers.ts";
import type { Show } from "./show.ts";

/** A tensor that may arrive any number of times for one request: an output of a step that streams, or of a step that follows it. */
export interface StreamTensor<out D extends DType = DType, out S extends Dims = Dims> extends Tensor<D, S> {
  readonly stream: true;
}

/** `S` without the axis, or with size 1 in its place. */
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
  : `✗ only an axis of size 1 can be removed: ${A} of [${ShowDims<S>}] is ${S[AxisIndex<S, A> & keyof S] & Dim}`;

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
      : { [I in keyof P]: `✗ transpose of [${ShowDims<S>}] must list every axis once` }
    : { [I in keyof P]: `✗ transpose of [${ShowDims<S>}] needs ${S["length"]} axes` };
type Permuted<S extends Dims, P extends Dims> = number extends S["length"]
  ? Dims
  : { -readonly [I in keyof P]: S[AxisIndex<S, P[I]> & keyof S] & Dim };

type Unsqueezed<
  S extends Dims,
  A extends number,
  N extends number = 1,
> = S["length"] extends keyof NewAxisTable
  ? InsertAt<S, NewAxisTable[S["length"]][`${A}` & keyof NewAxisTable[S["length"]]], [N]>
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

/** The dims of `S` from index P on. */
type From<S extends Dims, P, Before extends Dims = []> = number extends S["length"]
  ? Dims
  : `${Before["length"]}` extends P
    ? S
    : S extends readonly [infer H extends Dim, ...infer R extends Dims]
      ? From<R, P, [...Before, H]>
      : Dims;

type LayerNormWeight<T extends AnyTensor, A extends Dim, W extends AnyTensor, Role extends string> = [
  W["dtype"],
] extends [T["dtype"]]
  ? DimsFit<W["dims"], From<T["dims"], AxisIndex<T["dims"], A>>> extends true
    ? W
    : `✗ the ${Role} ${Show<W["dtype"], W["dims"]>} does not have the normalized dims [${ShowDims<From<T["dims"], AxisIndex<T["dims"], A>>>}]`
  : `✗ ${Show<T["dtype"], T["dims"]>} and ${Show<W["dtype"], W["dims"]>} have different dtypes: ONNX never promotes, so cast one of them`;

type Repeat<N extends number, X, Out extends readonly X[] = []> = Out["length"] extends N
  ? Out
  : Repeat<N, X, readonly [...Out, X]>;

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
/** Supports tuples of up to 99 parts, because TypeScript counts by recursion. */
type PartsOf<
  T extends AnyTensor,
  A extends Dim,
  P extends number | readonly number[],
> = P extends readonly number[]
  ? { readonly [I in keyof P]: PartOf<T, A, P[I] & number> }
  : `${P & number}` extends `${Digit}` | `${Digit}${Digit}`
    ? Repeat<
        P & number,
        PartOf<T, A, P extends 1 ? T["dims"][AxisIndex<T["dims"], A> & keyof T["dims"]] & Dim : -1>
      >
    : readonly PartOf<T, A, -1>[];
type PartOf<T extends AnyTensor, A extends Dim, N extends Dim> = Tensor<
  T["dtype"],
  SetAt<T["dims"], AxisIndex<T["dims"], A>, N>
>;

type Tiled<S extends Dims, P, N extends number> = {
  [I in keyof S]: I extends P ? (N extends 1 ? S[I] : S[I] extends 1 ? N : -1) : S[I];
};

export interface PadOptions {
  /** Default "constant". */
  readonly mode?: "constant" | "edge" | "reflect";
  /** The value of added elements in mode "constant". Default 0, or false. */
  readonly value?: number | bigint | boolean;
}

/** The JavaScript type of a dtype's elements in code. */
type Written<D extends DType> = D extends "BYTES"
  ? string
  : D extends "BOOL"
    ? boolean
    : D extends IntDType
      ? number | bigint
      : number;

/** The table of `labelEncode`. Keys and values have the same length. */
export interface LabelTable<D extends DType, To extends DType> {
  readonly keys: readonly Written<D>[];
  readonly values: readonly Written<To>[];
  /** The value for anything that is not a key. */
  readonly otherwise: Written<To>;
}

/**
 * A tensor that flows through a pipeline: its dtype, its dims, and the node that produces it. It has no values; they only exist when the
 * pipeline runs. Every method corresponds to one ONNX operator and returns a new tensor.
 */
export interface Tensor<out D extends DType = DType, out S extends Dims = Dims> extends AnyTensor {
  readonly dtype: D;
  readonly dims: S;

  /** Sum of two tensors that broadcast, or of a tensor and a number. */
  add<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  /** Element-wise difference. */
  sub<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  /** Element-wise product. */
  mul<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  /** Quotient; integer quotients are truncated towards zero. */
  div<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  /** The remainder of `div`, with the sign of this tensor, like JavaScript's `%`. */
  mod<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  /** This tensor to the power of `other`, element by element. */
  pow<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  /** The element-wise minimum. */
  minimum<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;
  /** The element-wise maximum. */
  maximum<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<T["dtype"], BroadcastOf<T["dims"], O>>;

  /** Element-wise comparison. The result is BOOL. */
  eq<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** Element-wise comparison; NaN is unequal to everything, including itself. */
  ne<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** Greater than. */
  gt<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** Greater than or equal. */
  ge<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** Less than. */
  lt<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** Less than or equal. */
  le<T extends AnyTensor, const O extends Operand>(
    this: T,
    other: Other<T, O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** True where both are true. */
  and<T extends AnyTensor, O extends AnyTensor>(
    this: Bool<T>,
    other: Bool<O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** True where either is true. */
  or<T extends AnyTensor, O extends AnyTensor>(
    this: Bool<T>,
    other: Bool<O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** True where exactly one of them is true. */
  xor<T extends AnyTensor, O extends AnyTensor>(
    this: Bool<T>,
    other: Bool<O>,
  ): Tensor<"BOOL", BroadcastOf<T["dims"], O>>;
  /** True where the tensor is false. */
  not<T extends AnyTensor>(this: Bool<T>): Tensor<"BOOL", T["dims"]>;

  /** The negated elements. */
  neg<T extends AnyTensor>(this: Numeric<T>): Tensor<T["dtype"], T["dims"]>;
  /** The absolute values. */
  abs<T extends AnyTensor>(this: Numeric<T>): Tensor<T["dtype"], T["dims"]>;
  /** The sign of each element: -1, 0 or 1. */
  sign<T extends AnyTensor>(this: Numeric<T>): Tensor<T["dtype"], T["dims"]>;
  /** Each element rounded to the nearest whole number; halves are rounded to even: 0.5 to 0, 1.5 to 2. */
  round<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** Each element rounded down to a whole number. */
  floor<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** Each element rounded up to a whole number. */
  ceil<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** Square root; NaN for a negative number. */
  sqrt<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** e to the power of each element. */
  exp<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** Natural logarithm. */
  log<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** The error function, for FP16 and FP32. */
  erf<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** Hyperbolic tangent. */
  tanh<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** 1 / (1 + exp(-x)). */
  sigmoid<T extends AnyTensor>(this: Float<T>): Tensor<T["dtype"], T["dims"]>;
  /** `max(x, 0)`, element by element. */
  relu<T extends AnyTensor>(this: Numeric<T>): Tensor<T["dtype"], T["dims"]>;
  /** GELU: x·Φ(x); `approximation: "tanh"` uses GPT-2's formula. The exact form (the default) is only available for FP16 and FP32. */
  gelu<T extends AnyTensor>(
    this: Float<T>,
    options?: { readonly approximation?: "none" | "tanh" },
  ): Tensor<T["dtype"], T["dims"]>;
  /** Each element, limited to the range from `min` to `max`. */
  clip<T extends AnyTensor>(this: Numeric<T>, min: number, max: number): Tensor<T["dtype"], T["dims"]>;
  /** exp(x) / sum(exp(x)) along the axis; each row adds up to 1. */
  softmax<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1>(
    this: Float<T>,
    axis: A,
  ): Tensor<T["dtype"], T["dims"]>;

  /**
   * Normalizes to mean 0 and variance 1 over `axis` and all following axes, then multiplies by `scale` and adds `bias`, which have the same
   * dims as these axes. `epsilon` (default 1e-5) is added to the variance.
   */
  layerNorm<
    T extends AnyTensor,
    A extends AxisOf<T["dims"]> | -1,
    W extends AnyTensor = AnyTensor,
    B extends AnyTensor = AnyTensor,
  >(
    this: Float<T>,
    axis: A,
    options?: {
      readonly scale?: W extends LayerNormWeight<T, A, W, "scale"> ? W : LayerNormWeight<T, A, W, "scale">;
      readonly bias?: B extends LayerNormWeight<T, A, B, "bias"> ? B : LayerNormWeight<T, A, B, "bias">;
      readonly epsilon?: number;
    },
  ): Tensor<T["dtype"], T["dims"]>;

  /** Converts to another dtype with the same dims. ONNX never promotes dtypes: every conversion is explicit. */
  cast<T extends AnyTensor, To extends DType>(this: T, to: DTypeName<To>): Tensor<To, T["dims"]>;

  /** Sum along the axis, which is removed unless `keepDims` is true. */
  sum<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  /** Mean along the axis. */
  mean<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Float<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  /** The product of the elements; integers wrap around. Not for FP64. */
  prod<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  /** The largest element along the axis. */
  max<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  /** The smallest element along the axis. */
  min<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  /** log(sum(exp(x))) along the axis, without overflow. */
  logSumExp<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Float<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<T["dtype"], Reduced<T["dims"], A, K>>;
  /** Index of the smallest value, or of the first one in a tie. INT64. */
  argmin<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<"INT64", Reduced<T["dims"], A, K>>;
  /** Index of the largest value, or of the first one in a tie. INT64. */
  argmax<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, K extends boolean = false>(
    this: Numeric<T>,
    axis: A,
    options?: KeepDims<K>,
  ): Tensor<"INT64", Reduced<T["dims"], A, K>>;
  /** The `k` largest elements along the axis, largest first, with their indices. */
  topK<T extends AnyTensor, N extends number, A extends AxisOf<T["dims"]> | -1>(
    this: Numeric<T>,
    k: N,
    axis: A,
  ): {
    readonly values: Tensor<T["dtype"], SetAt<T["dims"], AxisIndex<T["dims"], A>, N>>;
    readonly indices: Tensor<"INT64", SetAt<T["dims"], AxisIndex<T["dims"], A>, N>>;
  };

  /** Matrix product over the last two axes; the other axes broadcast. */
  matmul<T extends AnyTensor, O extends AnyTensor>(
    this: Numeric<T>,
    other: O extends MatMulOperand<T["dtype"], T["dims"], O> ? O : MatMulOperand<T["dtype"], T["dims"], O>,
  ): Tensor<T["dtype"], Known<MatMulDims<T["dims"], O["dims"]>>>;

  /** Adds an axis of size 1 at position `axis` of the result. */
  unsqueeze<T extends AnyTensor, A extends NewAxisOf<T["dims"]>>(
    this: T,
    axis: A,
  ): Tensor<T["dtype"], Unsqueezed<T["dims"], A>>;
  /** Removes an axis of size 1. */
  squeeze<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1>(
    this: T,
    axis: A extends Squeezable<T["dims"], A> ? A : Squeezable<T["dims"], A>,
  ): Tensor<T["dtype"], RemoveAt<T["dims"], AxisIndex<T["dims"], A>>>;
  /** The tensor with its axes in a different order. */
  transpose<T extends AnyTensor, const P extends readonly Dim[]>(
    this: T,
    ...axes: P extends PermOk<T["dims"], P> ? P : PermOk<T["dims"], P>
  ): Tensor<T["dtype"], Permuted<T["dims"], P>>;
  /** The same elements with different dims, one of which may be -1 (computed by the compiler). Names must be dim names of this tensor. */
  reshape<T extends AnyTensor, const P extends Dim[]>(
    this: T,
    ...dims: P extends NamesIn<T["dims"], P> ? P : NamesIn<T["dims"], P>
  ): Tensor<T["dtype"], P>;
  /** Repeats the elements along axes of size 1, as in broadcasting. */
  expand<T extends AnyTensor, const P extends Dim[]>(
    this: T,
    ...dims: P
  ): Tensor<T["dtype"], Known<Broadcast<T["dims"], P>>>;
  /** The elements from `start` up to, but not including, `end`; negative positions count from the end. */
  slice<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1>(
    this: T,
    axis: A,
    start: number,
    end?: number,
  ): Tensor<T["dtype"], SetAt<T["dims"], AxisIndex<T["dims"], A>, -1>>;
  /**
   * Splits along an axis: into a number of equal parts, or into parts of these sizes, which must add up to the size of the axis. `const
   * [first, rest] = x.split(-1, [1, 383])`.
   */
  split<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, const P extends number | readonly number[]>(
    this: T,
    axis: A,
    parts: P,
  ): PartsOf<T, A, P>;
  /**
   * Adds elements at both ends of an axis: `value` (default 0), repetitions of the outermost element, or its neighbours mirrored. Not for
   * BYTES.
   */
  pad<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1>(
    this: Paddable<T>,
    axis: A,
    before: number,
    after: number,
    options?: PadOptions,
  ): Tensor<T["dtype"], SetAt<T["dims"], AxisIndex<T["dims"], A>, -1>>;
  /** Repeats the elements along an axis `times` times. */
  tile<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, N extends number>(
    this: T,
    axis: A,
    times: N,
  ): Tensor<T["dtype"], Tiled<T["dims"], AxisIndex<T["dims"], A>, N>>;
  /**
   * Turns each index into `depth` zeros with a 1 at its position, along a new axis at position `axis` of the result. Negative indices count
   * from the end; an index that is out of range gives only zeros.
   */
  oneHot<
    T extends AnyTensor,
    N extends number,
    A extends NewAxisOf<T["dims"]>,
    To extends Exclude<DType, "BYTES">,
  >(this: Indices<T>, depth: N, axis: A, to: DTypeName<To>): Tensor<To, Unsqueezed<T["dims"], A, N>>;
  /** Looks up text or integers in a table: the value of each key, `otherwise` for anything that is not a key. */
  labelEncode<T extends AnyTensor, To extends DType>(
    this: Keyed<T>,
    to: DTypeName<To>,
    table: LabelTable<T["dtype"], To>,
  ): Tensor<To, T["dims"]>;
  /** Selects one index along an axis (the axis is removed) or all of `indices` (whose dims replace the axis). */
  gather<T extends AnyTensor, A extends AxisOf<T["dims"]> | -1, I extends AnyTensor | number>(
    this: T,
    axis: A,
    indices: I extends AnyTensor ? Indices<I> : I,
  ): Tensor<T["dtype"], ReplaceAt<T["dims"], AxisIndex<T["dims"], A>, I extends AnyTensor ? I["dims"] : []>>;

  /** States dims that the compiler cannot infer (a name or a size); checked when the pipeline runs. */
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
  : `✗ ${Show<D, S>} and ${Show<O["dtype"], O["dims"]>} have different dtypes: ONNX never promotes, so cast one of them`;
