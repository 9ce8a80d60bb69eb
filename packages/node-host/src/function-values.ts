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
  typedArrays,
} from "@tritype/core";
import { InvalidRequest, InvalidResult } from "./function-failure.ts";

/** Elements in `run`: a typed array of numbers, or a list of strings or booleans. FP16 is widened to Float32Array. */
export type Elements = TypedArray | Scalar[];

/** A tensor that has arrived. Its elements are read once its shape has been checked. */
export interface Given {
  readonly shape: readonly number[];
  /** Row-major. @throws InvalidRequest for text that is not UTF-8. */
  elements(name: string, dtype: DType): Elements;
}

/** A tensor in its own memory. */
export const givenTensor = (tensor: TensorData): Given => ({
  shape: tensor.shape,
  elements: (name) => {
    if (tensor.dtype !== "BYTES") return widened(tensor.dtype, typedArrayOf(tensor));
    const { shape, data } = tensor;
    return data.map((bytes, index) => tryDecodeUtf8(bytes) ?? refuseText(name, shape, data.length, index));
  },
});

export const widened = (dtype: FixedDType, view: TypedArray): Elements => {
  if (dtype === "BOOL") return Array.from(view as Uint8Array, (byte) => byte !== 0);
  if (dtype === "FP16") return Float32Array.from(view as Uint16Array, halfToNumber);
  return view;
};

export const refuseText = (name: string, shape: readonly number[], count: number, index: number): never => {
  throw new InvalidRequest(
    `row ${Math.floor((index * (shape[0] ?? 1)) / count)} of ${name} is not valid UTF-8`,
  );
};

/** Elements that `run` returned: one list for each row, or one for all rows. */
export type Part = readonly unknown[] | TypedArray;

/**
 * An output whose elements are known to fit its dtype: strings, numbers of a float dtype, or typed arrays of the dtype.
 * They are consecutive in the parts.
 */
export interface Output {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly parts: readonly Part[];
}

/**
 * The elements in the parts as an output.
 * @throws InvalidResult for elements that the dtype cannot represent: they are never wrapped or truncated.
 */
export const checkElements = (
  what: string,
  dtype: DType,
  shape: readonly number[],
  parts: readonly Part[],
): Output => {
  if (isAsWritten(dtype, parts)) return { dtype, shape, parts };
  const values: Scalar[] = parts.flatMap((part) => [...(part as readonly Scalar[])]);
  requireElements(what, dtype, values);
  const tensor = tensorOf(dtype, shape, values);
  return { dtype, shape, parts: [tensor.dtype === "BYTES" ? values : typedArrayOf(tensor)] };
};

/** The output with its own lists, because the function may change the others. */
export const ownOutput = ({ dtype, shape, parts }: Output): Output => ({
  dtype,
  shape: [...shape],
  parts: parts.map((part) => Array.from<unknown>(part)),
});

const isAsWritten = (dtype: DType, parts: readonly Part[]): boolean => {
  if (dtype === "BYTES") return parts.every((part) => isEvery(part, "string"));
  if (dtype === "BOOL" || dtype === "FP16" || dtype === "BF16") return false;
  const isFloat = dtype === "FP32" || dtype === "FP64";
  return parts.every((part) => part instanceof typedArrays[dtype] || (isFloat && isEvery(part, "number")));
};

const isEvery = (part: Part, type: "string" | "number"): boolean => {
  for (let index = 0; index < part.length; index++) if (typeof part[index] !== type) return false;
  return true;
};

/** Writes the elements of an output of a fixed dtype. */
export const setElements = (view: TypedArray, parts: readonly Part[]): void => {
  let at = 0;
  for (const part of parts) {
    (view as Float32Array).set(part as readonly number[], at);
    at += part.length;
  }
};

/** An output as a tensor. */
export const tensorFrom = ({ dtype, shape, parts }: Output): TensorData => {
  if (dtype === "BYTES")
    // Small buffers share memory, which `encodeUtf8` allocates for each.
    return {
      dtype,
      shape,
      data: parts.flatMap((part) => Array.from(part as string[], (text) => Buffer.from(text))),
    };
  const data = new Uint8Array(byteLength(dtype, shape));
  setElements(typedArrayOf({ dtype, shape, data }), parts);
  return { dtype, shape, data };
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
