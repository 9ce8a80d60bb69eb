import type { Dims, DType, OptionalTensorType, Signature, TensorType } from "@tritype/core";
import type { JsonTensorType } from "./json.ts";
import type { ArrayOf, ElementOf, NdArray } from "./values.ts";

type Tail<S extends Dims> = S extends readonly [unknown, ...infer R extends Dims] ? R : Dims;
/** The value of a tensor: a scalar for [batch] and [batch, 1], a flat array for [batch, n], elements with their shape for higher ranks. */
type RowValue<D extends DType, S extends Dims> = number extends S["length"]
  ? NdArray<D>
  : S extends readonly [unknown, 1?]
    ? ElementOf<D>
    : S extends readonly [unknown, unknown]
      ? ArrayOf<D>
      : NdArray<D, Tail<S>>;
/** The value of a result, which may be any list of elements together with any list of sizes. */
type ReturnedValue<D extends DType, S extends Dims> = number extends S["length"]
  ? ReturnedArray<D>
  : S extends readonly [unknown, 1?]
    ? ElementOf<D>
    : S extends readonly [unknown, unknown]
      ? ListOf<D>
      : ReturnedArray<D>;
type ListOf<D extends DType> = ArrayOf<D> | readonly ElementOf<D>[];
interface ReturnedArray<D extends DType> {
  readonly data: ListOf<D>;
  readonly shape: readonly number[];
}
/** A `T`, or the same with readonly parts: `[text]` in the result of `run` is inferred as a readonly tuple. */
type Returnable<V> = unknown extends V
  ? V
  : V extends readonly unknown[]
    ? // A mapped type for lists of a type that contains itself is "excessively deep".
      number extends V["length"]
      ? readonly Returnable<V[number]>[]
      : { readonly [K in keyof V]: Returnable<V[K]> }
    : { readonly [K in keyof V]: Returnable<V[K]> };
type Absent<T extends TensorType> = T extends OptionalTensorType ? undefined : never;

/** A row of an output in the `run` function of a `step`. */
export type RowOutput<T extends TensorType> =
  T extends JsonTensorType<infer V> ? Returnable<V> : ReturnedValue<T["dtype"], T["dims"]>;
/** A row of an input in the `run` function of a `step`. */
export type RowInput<T extends TensorType> =
  | (T extends JsonTensorType<infer V> ? V : RowValue<T["dtype"], T["dims"]>)
  | Absent<T>;
/** An output in the `run` function of a `batchStep`. */
export type BatchOutput<T extends TensorType> =
  T extends JsonTensorType<infer V>
    ? { readonly data: readonly Returnable<V>[]; readonly shape: readonly number[] }
    : ReturnedArray<T["dtype"]>;
/** An input in the `run` function of a `batchStep`. */
export type BatchInput<T extends TensorType> =
  | (T extends JsonTensorType<infer V>
      ? { readonly data: V[]; readonly shape: readonly number[] }
      : NdArray<T["dtype"], T["dims"]>)
  | Absent<T>;

/** The argument of a `step`'s `run`: one row of every input. */
export type RowInputs<I extends Signature> = { readonly [K in keyof I]: RowInput<I[K]> };
/** The result of a `step`'s `run`: one row of every output. */
export type RowOutputs<O extends Signature> = { readonly [K in keyof O]: RowOutput<O[K]> };
/** The argument of a `batchStep`'s `run`: all rows of one request, row by row, with their shape. */
export type BatchInputs<I extends Signature> = { readonly [K in keyof I]: BatchInput<I[K]> };
/** The result of a `batchStep`'s `run`: all rows of every output, with their shape. */
export type BatchOutputs<O extends Signature> = { readonly [K in keyof O]: BatchOutput<O[K]> };
