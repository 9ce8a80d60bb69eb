import {
  type DType,
  dtypes,
  elementCount,
  type FixedDType,
  byteLength,
  halfToNumber,
  type Scalar,
  type TensorData,
  tensorOf,
  tryDecodeUtf8,
  type TypedArray,
  typedArrayOf,
} from "@tritype/core";
import { InvalidRequest, InvalidResult } from "./function-failure.ts";

/** Elements in `run`: a typed array of numbers, or a list of strings or booleans. FP16 is widened to Float32Array. */
export type Elements = TypedArray | Scalar[];

/** The elements of an input, row-major. @throws InvalidRequest for text that is not UTF-8. */
export const readElements = (name: string, tensor: TensorData): Elements => {
  if (tensor.dtype === "BYTES")
    return tensor.data.map((bytes, index) => {
      const text = tryDecodeUtf8(bytes);
      if (text !== undefined) return text;
      const row = Math.floor((index * (tensor.shape[0] ?? 1)) / tensor.data.length);
      throw new InvalidRequest(`row ${row} of ${name} is not valid UTF-8`);
    });
  const view = typedArrayOf(tensor);
  if (tensor.dtype === "BOOL") return Array.from(view as Uint8Array, (byte) => byte !== 0);
  if (tensor.dtype === "FP16") return Float32Array.from(view as Uint16Array, halfToNumber);
  return view;
};

/** Elements that `run` returned, one list for each row or one for all of them. */
export type Part = readonly unknown[] | TypedArray;

/**
 * A tensor of the elements in the parts, one after the other.
 * @throws InvalidResult for elements that the dtype cannot represent: they are never wrapped or truncated.
 */
export const writeElements = (
  what: string,
  dtype: DType,
  shape: readonly number[],
  parts: readonly Part[],
): TensorData => {
  const written = dtype === "BYTES" ? writeStrings(shape, parts) : writeFixed(dtype, shape, parts);
  if (written !== undefined) return written;
  const values: Scalar[] = parts.flatMap((part) => [...(part as readonly Scalar[])]);
  requireElements(what, dtype, values);
  return tensorOf(dtype, shape, values);
};

const writeStrings = (shape: readonly number[], parts: readonly Part[]): TensorData | undefined => {
  const data: Uint8Array[] = [];
  for (const part of parts)
    for (const value of part) {
      if (typeof value !== "string") return undefined;
      data.push(Buffer.from(value)); // Small ones share memory, whereas `encodeUtf8` allocates memory for each.
    }
  return { dtype: "BYTES", shape, data };
};

/** Undefined unless every part is an array whose elements are of the dtype itself, or numbers for a float dtype. */
const writeFixed = (
  dtype: FixedDType,
  shape: readonly number[],
  parts: readonly Part[],
): TensorData | undefined => {
  if (dtype === "BOOL" || dtype === "FP16" || dtype === "BF16") return undefined;
  const data = new Uint8Array(byteLength(dtype, shape));
  const view = typedArrayOf({ dtype, shape, data });
  const isFloat = dtype === "FP32" || dtype === "FP64";
  let at = 0;
  for (const part of parts) {
    if (part instanceof view.constructor) (view as Float32Array).set(part as Float32Array, at);
    else if (!isFloat || !setNumbers(view as Float32Array, part, at)) return undefined;
    at += part.length;
  }
  return { dtype, shape, data };
};

const setNumbers = (view: Float32Array, part: Part, at: number): boolean => {
  for (let index = 0; index < part.length; index++) {
    const value: unknown = part[index];
    if (typeof value !== "number") return false;
    view[at + index] = value;
  }
  return true;
};

const requireElements = (what: string, dtype: DType, values: readonly unknown[]): void => {
  const type = typeOf(dtype);
  const refuse = (wanted: string): never => {
    throw new InvalidResult(`${what} has a value that is not a ${wanted}`);
  };
  if (values.some((value) => typeof value !== type)) refuse(type);
  const { range } = dtypes[dtype];
  if (range === undefined) return;
  const [low, high] = range;
  const fits =
    type === "bigint"
      ? (value: unknown) => (value as bigint) >= low && (value as bigint) <= high
      : (value: unknown) =>
          Number.isInteger(value) && (value as number) >= Number(low) && (value as number) <= Number(high);
  if (!values.every(fits)) refuse(`${type === "bigint" ? "bigint" : "whole number"} from ${low} to ${high}`);
};

/** The result of `typeof` for an element. */
const typeOf = (dtype: DType): "string" | "boolean" | "bigint" | "number" => {
  if (dtype === "BYTES") return "string";
  if (dtype === "BOOL") return "boolean";
  return dtype === "INT64" || dtype === "UINT64" ? "bigint" : "number";
};

/** A `{ data, shape }` from `run`, checked. */
export const unpack = (
  what: string,
  value: unknown,
): { readonly data: Part; readonly shape: readonly number[] } => {
  const { data, shape } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly data?: unknown;
    readonly shape?: unknown;
  };
  if (!isList(data) || !Array.isArray(shape)) throw new InvalidResult(`${what} is not { data, shape }`);
  if (!shape.every((size) => Number.isInteger(size) && (size as number) >= 0))
    throw new InvalidResult(`${what} has a shape that is not a list of sizes`);
  const sizes = shape as readonly number[];
  if (data.length !== elementCount(sizes))
    throw new InvalidResult(`${what} has ${data.length} elements for shape [${sizes.join(", ")}]`);
  return { data, shape: sizes };
};

export const isList = (value: unknown): value is Part =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
