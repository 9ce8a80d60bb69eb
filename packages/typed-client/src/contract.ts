import type { DType } from "@tritype/core";

/** A size, or a name that stands for the same size throughout a request. -1 means any size. */
export type Dim = number | string;

/** The type of an input or output. */
export interface TensorType {
  readonly dtype: DType;
  readonly dims: readonly Dim[];
  /** For an input that a request may omit. */
  readonly optional?: boolean;
}
/** Name → type of all inputs, or of all outputs. */
export type Signature = Readonly<Record<string, TensorType>>;

/**
 * The contract between client and server. `Inputs` and `Outputs` are the types of the values; `Streams` is whether a
 * request may get any number of answers.
 */
export interface Contract<
  Inputs = Record<string, unknown>,
  Outputs = Record<string, Tensor>,
  Streams extends boolean = boolean,
> {
  /** Name of the ensemble in the model repository. */
  readonly name: string;
  readonly inputs: Signature;
  readonly outputs: Signature;
  /** Hash of the above without the dim names; the server's configuration contains it as `tritype_contract`. */
  readonly hash?: string;
  /** Whether a request may get any number of answers. Absent if it is always one answer. */
  readonly streams?: Streams;
  /** If one of its models has sequences: the dtype of their IDs. */
  readonly sequenceIds?: string;
  /** A type for TypeScript only; never present. */
  readonly "~types"?: { readonly inputs: Inputs; readonly outputs: Outputs };
}

/** A tensor of an answer. `Nested` is the result of `toArray`: arrays without the size-1 dims after the first. */
export interface Tensor<
  D extends DType = DType,
  Data = unknown,
  Shape extends readonly number[] = readonly number[],
  Nested = unknown,
> {
  readonly dtype: D;
  readonly shape: Shape;
  /** The elements in row-major order. */
  readonly data: Data;
  toArray(): Nested;
}

/** Elements in row-major order with their shape; an alternative to nested arrays for inputs. */
export interface Elements<Data> {
  readonly data: Data;
  readonly shape: readonly number[];
}

/** A BYTES output requested as bytes. */
export interface RawTensor<Shape = readonly number[]> {
  readonly dtype: "BYTES";
  readonly shape: Shape;
  readonly data: readonly Uint8Array[];
}

/** `FP32[batch, 384]` */
export const showType = ({
  dtype,
  dims,
}: {
  readonly dtype: string;
  readonly dims: readonly Dim[];
}): string => `${dtype}[${dims.map((dim) => String(dim).replace(/(#\d+)+$/, "")).join(", ")}]`;

/** The dims on the wire: Triton does not support tensors with only the batch dim, so a size-1 dim is added after it. */
export const wireDims = (dims: readonly Dim[]): readonly Dim[] =>
  dims.length === 1 && dims[0] === "batch" ? ["batch", 1] : dims;

/** The dims of nested arrays: all except the 1s after the first. */
export const nestedDims = (dims: readonly Dim[]): readonly number[] =>
  dims.flatMap((dim, axis) => (axis > 0 && dim === 1 ? [] : [axis]));

/** The type on the wire. */
export const wireType = <T extends TensorType>(type: T): T => ({ ...type, dims: wireDims(type.dims) });

/**
 * Whether it streams; undefined if that is unknown. A contract with a hash comes from a build, which knows whether the
 * ensemble streams.
 */
export const streamsOf = ({ streams, hash }: Contract): boolean | undefined =>
  streams ?? (hash === undefined ? undefined : false);

/** Whether a dim allows any size. */
export const isOpen = (dim: Dim): boolean => typeof dim === "string" || dim < 0;
