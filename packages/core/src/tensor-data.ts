import { concatBytes, packByteStrings } from "./bytes.ts";
import { type DType, dtypes } from "./dtype.ts";
import { invariant } from "./error.ts";
import { generalError } from "./errors.ts";
import { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf } from "./half.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

/** A dtype whose elements all have the same number of bytes. */
export type FixedDType = Exclude<DType, "BYTES">;

/** A tensor of numbers or booleans: little-endian, row-major, no padding, as on the wire. */
export interface FixedTensor {
  readonly dtype: FixedDType;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}
/** A tensor of byte strings, row-major. */
export interface BytesTensor {
  readonly dtype: "BYTES";
  readonly shape: readonly number[];
  readonly data: readonly Uint8Array[];
}
/** A tensor's values, in the form that all layers share. */
export type TensorData = FixedTensor | BytesTensor;

/** Named tensors, in the order of the request or of the model's signature. */
export type NamedTensors = ReadonlyMap<string, TensorData>;

/** The first dim of the first tensor: the number of rows in a batched request. 0 if there are no tensors. */
export const rowsOf = (tensors: NamedTensors): number => {
  for (const { shape } of tensors.values()) return shape[0] ?? 0;
  return 0;
};

/** Each row of a batched request as a separate request. */
export const splitRows = (tensors: NamedTensors): readonly NamedTensors[] =>
  Array.from(
    { length: rowsOf(tensors) },
    (_, row) => new Map([...tensors].map(([name, tensor]) => [name, sliceRows(tensor, row, row + 1)])),
  );

/** Joins requests with the same layout into one batch. */
export const joinRows = (requests: readonly NamedTensors[]): NamedTensors =>
  new Map(
    [...(requests[0]?.keys() ?? [])].map((name) => [
      name,
      concatRows(requests.flatMap((tensors) => tensors.get(name) ?? [])),
    ]),
  );

/** The number of elements of a shape; 1 for a scalar. */
export const elementCount = (shape: readonly number[]): number => {
  let count = 1;
  for (const dim of shape) count *= dim;
  return count;
};

/** The size in bytes of a fixed tensor of this dtype and shape. */
export const byteLength = (dtype: FixedDType, shape: readonly number[]): number =>
  elementCount(shape) * elementSize(dtype);

/** The size of one element in bytes. */
export const elementSize = (dtype: FixedDType): number => {
  const size = dtypes[dtype].byteSize;
  invariant(size !== undefined, `${dtype} has no element size`);
  return size;
};

/** The JavaScript arrays for elements of a fixed size. */
export type TypedArray =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Float32Array
  | Float64Array;
interface TypedArrayConstructor {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): TypedArray;
}
/** The array of each dtype; FP16 and BF16 appear as their 16-bit patterns. */
export const typedArrays: Readonly<Record<FixedDType, TypedArrayConstructor>> = {
  BOOL: Uint8Array,
  UINT8: Uint8Array,
  UINT16: Uint16Array,
  UINT32: Uint32Array,
  UINT64: BigUint64Array,
  INT8: Int8Array,
  INT16: Int16Array,
  INT32: Int32Array,
  INT64: BigInt64Array,
  FP16: Uint16Array,
  FP32: Float32Array,
  FP64: Float64Array,
  BF16: Uint16Array,
};

/**
 * The elements as a typed array over the same memory, or over a copy if the bytes are not aligned. FP16 and BF16 are
 * Uint16Array bit patterns, BOOL is a Uint8Array of 0 and 1. Assumes a little-endian machine, as ONNX Runtime does.
 */
export const typedArrayOf = (tensor: FixedTensor): TypedArray => {
  const size = elementSize(tensor.dtype);
  // Does not use `slice`, because on a Node Buffer it returns a view.
  const aligned = tensor.data.byteOffset % size === 0 ? tensor.data : new Uint8Array(tensor.data);
  return new typedArrays[tensor.dtype](aligned.buffer, aligned.byteOffset, aligned.byteLength / size);
};

/** One element in JavaScript: number, bigint for 64-bit integers, boolean, or string for BYTES (UTF-8, lossy). */
export type Scalar = number | bigint | boolean | string;

/** The elements as JavaScript values in row-major order; FP16 and BF16 widened, BYTES decoded as UTF-8. */
export const valuesOf = (tensor: TensorData): Scalar[] => {
  if (tensor.dtype === "BYTES") return tensor.data.map(decodeUtf8);
  const view = typedArrayOf(tensor);
  const elements: Iterable<number | bigint> = view;
  const all = [...elements];
  if (tensor.dtype === "BOOL") return all.map((x) => x !== 0);
  if (tensor.dtype === "FP16") return all.map((bits) => halfToNumber(Number(bits)));
  if (tensor.dtype === "BF16") return all.map((bits) => bfloat16ToNumber(Number(bits)));
  return all;
};

/**
 * A tensor from JavaScript values in row-major order. Numbers are rounded to the dtype as typed arrays do; strings become UTF-8.
 * @throws PipelineError `tensor/wrong-size` if the count does not fit the shape.
 */
export const tensorOf = (
  dtype: DType,
  shape: readonly number[],
  values: readonly (Scalar | Uint8Array)[],
): TensorData => {
  if (values.length !== elementCount(shape))
    throw generalError("tensor/wrong-size", {
      shape: shape.join(", "),
      expected: elementCount(shape),
      got: values.length,
    });
  if (dtype === "BYTES")
    return { dtype, shape, data: values.map((x) => (x instanceof Uint8Array ? x : encodeUtf8(String(x)))) };
  const data = new Uint8Array(byteLength(dtype, shape));
  const view = typedArrayOf({ dtype, shape, data });
  values.forEach((value, index) => {
    view[index] = toElement(dtype, value) as never;
  });
  return { dtype, shape, data };
};

const toElement = (dtype: FixedDType, value: Scalar | Uint8Array): number | bigint => {
  if (dtype === "INT64" || dtype === "UINT64") return BigInt(value as number);
  if (dtype === "FP16") return numberToHalf(Number(value));
  if (dtype === "BF16") return numberToBfloat16(Number(value));
  return Number(value);
};

/** Rows `from` to `to` (exclusive) of the first dim; shares memory with the whole. */
export const sliceRows = (tensor: TensorData, from: number, to: number): TensorData => {
  const [, ...rest] = tensor.shape;
  const row = elementCount(rest);
  const shape = [to - from, ...rest];
  if (tensor.dtype === "BYTES")
    return { dtype: "BYTES", shape, data: tensor.data.slice(from * row, to * row) };
  const bytes = row * elementSize(tensor.dtype);
  return { dtype: tensor.dtype, shape, data: tensor.data.subarray(from * bytes, to * bytes) };
};

/** The tensors concatenated along the first dim. All have the same dtype and the same other dims. */
export const concatRows = (tensors: readonly TensorData[]): TensorData => {
  const [first] = tensors;
  invariant(first !== undefined, "concatRows needs a tensor");
  if (tensors.length === 1) return first;
  const shape = [tensors.reduce((n, t) => n + (t.shape[0] ?? 0), 0), ...first.shape.slice(1)];
  if (first.dtype === "BYTES")
    return { dtype: "BYTES", shape, data: tensors.flatMap((t) => (t as BytesTensor).data) };
  return {
    dtype: first.dtype,
    shape,
    data: concatBytes((tensors as readonly FixedTensor[]).map(({ data }) => data)),
  };
};

/**
 * The binary form of a tensor, as on the wire and in warmup files: little-endian and row-major; BYTES elements are a
 * uint32 length and that many bytes. Shares memory with the tensor unless it is BYTES.
 */
export const printRawData = (tensor: TensorData): Uint8Array =>
  tensor.dtype === "BYTES" ? packByteStrings(tensor.data) : tensor.data;

/** The size in bytes of the binary form of a tensor. */
export const rawSize = (tensor: TensorData): number =>
  tensor.dtype === "BYTES"
    ? tensor.data.reduce((size, element) => size + 4 + element.byteLength, 0)
    : tensor.data.byteLength;
