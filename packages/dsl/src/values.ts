import type { Answers, Dims, DType, OptionalTensorType, Signature } from "@tritype/core";

interface Arrays {
  BOOL: boolean[];
  UINT8: Uint8Array;
  UINT16: Uint16Array;
  UINT32: Uint32Array;
  UINT64: BigUint64Array;
  INT8: Int8Array;
  INT16: Int16Array;
  INT32: Int32Array;
  INT64: BigInt64Array;
  FP16: Float32Array;
  BF16: Float32Array;
  FP32: Float32Array;
  FP64: Float64Array;
  BYTES: string[];
}
/** The JavaScript array type for a tensor's elements. FP16 and BF16 are widened to Float32Array. */
export type ArrayOf<D extends DType> = Arrays[D];
/** One element. */
export type ElementOf<D extends DType> = D extends "INT64" | "UINT64"
  ? bigint
  : D extends "BYTES"
    ? string
    : D extends "BOOL"
      ? boolean
      : number;
/** Elements in row-major order with their shape: one size for each dim in `S`. */
export interface NdArray<D extends DType, S extends Dims = Dims> {
  readonly data: ArrayOf<D>;
  readonly shape: { readonly [K in keyof S]: number };
}

type Nested<E, S extends Dims> = S extends readonly []
  ? E
  : S extends readonly [unknown, ...infer R extends Dims]
    ? readonly Nested<E, R>[]
    : OfAnyDepth<E>;
type OfAnyDepth<E> = E | readonly OfAnyDepth<E>[];
/** Dims without literal 1s after the first. If the rank is unknown, they stay unchanged. */
type Squeezed<S extends Dims, Out extends Dims = []> = number extends S["length"]
  ? S
  : S extends readonly [infer H, ...infer R extends Dims]
    ? H extends 1
      ? Out extends readonly []
        ? Squeezed<R, [1]>
        : Squeezed<R, Out>
      : Squeezed<R, [...Out, H & (string | number)]>
    : Out;
type InputElement<D extends DType> = D extends "BYTES"
  ? string | Uint8Array
  : D extends "INT64" | "UINT64"
    ? bigint | number
    : ElementOf<D>;
/** Elements of a request in row-major order, in the dtype's array or in any list, with their shape. */
export interface ShapedElements<D extends DType> {
  /** The elements: a typed array, or a list. */
  readonly data: ArrayOf<D> | readonly InputElement<D>[];
  /** Every size, or every size except the 1s after the first. */
  readonly shape: readonly number[];
}
/** A tensor in a request: nested arrays without the size-1 dims after the first, or elements with their shape. */
export type TensorInput<D extends DType, S extends Dims> =
  | Nested<InputElement<D>, Squeezed<S>>
  | ShapedElements<D>;
type ShapeOf<S extends Dims> = {
  readonly [I in keyof S]: S[I] extends number ? (S[I] extends -1 ? number : S[I]) : number;
};
/** The dims as sent to the server. Triton does not support tensors with only the batch dim, so a size-1 dim is added after it. */
type WireDims<S extends Dims> = S extends readonly ["batch"] ? ["batch", 1] : S;
/** A tensor in an answer. */
export interface TensorValue<D extends DType, S extends Dims> {
  readonly dtype: D;
  readonly shape: ShapeOf<S>;
  readonly data: ArrayOf<D>;
  toArray(): Nested<ElementOf<D>, Squeezed<S>>;
}

/** The inputs that a request may omit. */
export type OptionalNames<I extends Signature> = {
  [K in keyof I]: I[K] extends OptionalTensorType ? K : never;
}[keyof I];
/** The JavaScript values of a request with these inputs. */
export type Request<I extends Signature> = [OptionalNames<I>] extends [never]
  ? { readonly [K in keyof I]: TensorInput<I[K]["dtype"], I[K]["dims"]> }
  : { readonly [K in Exclude<keyof I, OptionalNames<I>>]: TensorInput<I[K]["dtype"], I[K]["dims"]> } & {
      readonly [K in OptionalNames<I>]?: TensorInput<I[K]["dtype"], I[K]["dims"]>;
    };
/** The JavaScript values of a request to this step. */
export type InferInputs<E extends { readonly inputs: Signature }> = Request<E["inputs"]>;
/** The JavaScript values of an answer. */
export type InferOutputs<E extends { readonly outputs: Signature }> = {
  readonly [K in keyof E["outputs"]]: TensorValue<
    E["outputs"][K]["dtype"],
    WireDims<E["outputs"][K]["dims"]>
  >;
};

/** Marks the tensor types and handles of a stream. */
export interface Streaming {
  readonly stream: true;
}

/** A run of a step that streams: the answers as they arrive. Leaving the loop cancels the request. */
export interface StreamedRun<T> extends Answers<T> {
  /** Not available: there is more than one answer. */
  then(this: "✗ it streams, so do not await it: `for await (const answer of step.run(inputs))`"): never;
}

/** The result of `run`: a promise of the answer, or the answers of a step that streams. */
export type RunResult<E extends { readonly outputs: Signature }> = [
  Extract<E["outputs"][keyof E["outputs"]], Streaming>,
] extends [never]
  ? Promise<InferOutputs<E>>
  : StreamedRun<InferOutputs<E>>;
