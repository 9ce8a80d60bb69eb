import type { Dims, DType, IntDType } from "@tritype/core";
import type { AnyTensor } from "./any-tensor.ts";
import type { Broadcast } from "./dims.ts";
import type { Show } from "./show.ts";

/** A list is only accepted so that its error can say what to write instead. */
export type Operand = AnyTensor | number | bigint | readonly unknown[];
/** The given dims, which may be unknown. */
export type Known<X> = X extends Dims ? X : Dims;

/** The dims of the result of `x op y`. */
export type BroadcastOf<S extends Dims, O> = O extends AnyTensor ? Known<Broadcast<S, O["dims"]>> : S;

/** `O` if it has the dtype of a tensor `D[S]` and broadcasts with it, otherwise the error message. */
type Alike<D extends DType, S extends Dims, O extends AnyTensor> = [O["dtype"]] extends [D]
  ? Broadcast<S, O["dims"]> extends false
    ? `✗ ${Show<D, S>} and ${Show<O["dtype"], O["dims"]>} do not broadcast`
    : O
  : DType extends O["dtype"]
    ? O
    : `✗ ${Show<D, S>} and ${Show<O["dtype"], O["dims"]>} have different dtypes: ONNX never promotes, so cast one of them`;

/** `O` if `where` can choose between it and a tensor `D[S]` of any dtype, otherwise the error message. */
export type Choosable<D extends DType, S extends Dims, O> = [O] extends [AnyTensor]
  ? Alike<D, S, O>
  : [D] extends ["BYTES" | "BOOL"]
    ? `✗ ${O & number} is not an element of ${Show<D, S>}`
    : Elementwise<D, S, O>;

/** `O` if it can be combined with a tensor `D[S]` elementwise, otherwise the error message. */
export type Elementwise<D extends DType, S extends Dims, O> = [O] extends [AnyTensor]
  ? [D] extends ["BYTES"]
    ? DType extends D
      ? O
      : `✗ ${D} does not support arithmetic`
    : Alike<D, S, O>
  : [D] extends ["BYTES"]
    ? DType extends D
      ? O
      : `✗ ${D} does not support arithmetic`
    : O extends readonly unknown[]
      ? `✗ make the array a tensor: constant(${Lowercase<D>}, […], ${O["length"]})`
      : D extends IntDType
        ? `${O & (number | bigint)}` extends `${string}.${string}`
          ? `✗ ${O & number} is not an integer, but the tensor is ${Show<D, S>}: cast it first`
          : O
        : O;

/** The argument of an elementwise method: a tensor of the same dtype that broadcasts, or a number (in the tensor's dtype). */
export type Other<T extends AnyTensor, O> = [O] extends [Elementwise<T["dtype"], T["dims"], O>]
  ? O
  : Elementwise<T["dtype"], T["dims"], O>;
