import {
  type DType,
  dtypes,
  elementCount,
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
  if (tensor.dtype === "BOOL") return [...(view as Uint8Array)].map((byte) => byte !== 0);
  if (tensor.dtype === "FP16") return Float32Array.from(view as Uint16Array, halfToNumber);
  return view;
};

/**
 * A tensor from the value that `run` returned.
 * @throws InvalidResult for elements that the dtype cannot represent: they are never wrapped or truncated.
 */
export const writeElements = (
  what: string,
  dtype: DType,
  shape: readonly number[],
  values: readonly unknown[],
): TensorData => {
  const type = typeOf(dtype);
  const refuse = (wanted: string): never => {
    throw new InvalidResult(`${what} holds what is no ${wanted}`);
  };
  if (values.some((value) => typeof value !== type)) refuse(type);
  const { range } = dtypes[dtype];
  if (range !== undefined) {
    const [low, high] = range;
    const fits =
      type === "bigint"
        ? (value: unknown) => (value as bigint) >= low && (value as bigint) <= high
        : (value: unknown) =>
            Number.isInteger(value) && (value as number) >= Number(low) && (value as number) <= Number(high);
    if (!values.every(fits))
      refuse(`${type === "bigint" ? "bigint" : "whole number"} from ${low} to ${high}`);
  }
  return tensorOf(dtype, shape, values as Scalar[]);
};

/** What `typeof` says of an element. */
const typeOf = (dtype: DType): "string" | "boolean" | "bigint" | "number" => {
  if (dtype === "BYTES") return "string";
  if (dtype === "BOOL") return "boolean";
  return dtype === "INT64" || dtype === "UINT64" ? "bigint" : "number";
};

/** What `run` has as `{ data, shape }`. */
export const unpack = (
  what: string,
  value: unknown,
): { readonly data: readonly unknown[]; readonly shape: readonly number[] } => {
  const { data, shape } = (typeof value === "object" && value !== null ? value : {}) as {
    readonly data?: unknown;
    readonly shape?: unknown;
  };
  if (!isList(data) || !Array.isArray(shape)) throw new InvalidResult(`${what} is no { data, shape }`);
  if (!shape.every((size) => Number.isInteger(size) && (size as number) >= 0))
    throw new InvalidResult(`${what} has a shape that is no list of sizes`);
  const sizes = shape as readonly number[];
  if (data.length !== elementCount(sizes))
    throw new InvalidResult(`${what} has ${data.length} elements for shape [${sizes.join(", ")}]`);
  return { data: [...data], shape: sizes };
};

export const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
