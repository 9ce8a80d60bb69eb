import {
  type Dims,
  type DType,
  dtypes,
  elementCount,
  type Scalar,
  showDims,
  type TensorData,
  type TensorType,
  tensorOf,
} from "@tritype/core";
import { showValue } from "./show-value.ts";

type Element = Scalar | Uint8Array;

/** A tensor from JavaScript values, or the reason why they are invalid. */
export type ValueTensor =
  | { readonly tensor: TensorData }
  | { readonly wrongValue: string; readonly wanted: string }
  | { readonly wrongShape: string };

/**
 * The tensor for a client's values of an input: nested lists, with or without the size-1 dims after the first, or
 * elements with their shape. A tensor with only the batch dim has the shape [rows, 1], as in the protocol.
 */
export const valueTensor = ({ dtype, dims }: TensorType, value: unknown): ValueTensor => {
  const wanted = dims.length === 1 && dims[0] === "batch" ? [...dims, 1] : dims;
  const given = isNdArray(value)
    ? { sizes: value.shape, elements: [...value.data] }
    : { sizes: sizesOf(value), elements: flatten(value) };
  const wrong = given.elements.find((element) => !fits(dtype, element));
  if (wrong !== undefined || given.elements.includes(undefined))
    return { wrongValue: showValue(wrong), wanted: wordsFor(dtype) };
  if (elementCount(given.sizes) !== given.elements.length)
    return {
      wrongShape: isNdArray(value)
        ? `${given.elements.length} elements for the shape ${showDims(given.sizes)}`
        : "lists of unequal lengths",
    };
  const shape = fill(wanted, given.sizes);
  return shape === undefined
    ? { wrongShape: `values of shape ${showDims(given.sizes)}` }
    : { tensor: tensorOf(dtype, shape, given.elements as readonly Element[]) };
};

interface AnyNdArray {
  readonly data: Iterable<unknown>;
  readonly shape: readonly number[];
}
const isNdArray = (value: unknown): value is AnyNdArray =>
  typeof value === "object" &&
  value !== null &&
  "data" in value &&
  "shape" in value &&
  Array.isArray(value.shape) &&
  typeof value.data === "object" &&
  value.data !== null &&
  Symbol.iterator in value.data;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const flatten = (value: unknown): readonly unknown[] => (isList(value) ? value.flatMap(flatten) : [value]);
const sizesOf = (value: unknown): readonly number[] =>
  isList(value) ? [value.length, ...(value.length === 0 ? [] : sizesOf(value[0]))] : [];

/** The given sizes (size-1 dims after the first may be omitted), assigned to the dims; undefined if they do not fit. */
const fill = (wanted: Dims, given: readonly number[]): readonly number[] | undefined => {
  const whole = given.length === wanted.length ? given : insertOnes(wanted, given);
  return whole?.every((size, axis) => typeof wanted[axis] !== "number" || [-1, size].includes(wanted[axis]))
    ? whole
    : undefined;
};

const insertOnes = (wanted: Dims, given: readonly number[]): readonly number[] | undefined => {
  const left = [...given];
  const whole = wanted.map((dim, axis) => (axis > 0 && dim === 1 ? 1 : (left.shift() ?? 0)));
  const written = wanted.filter((dim, axis) => axis === 0 || dim !== 1).length;
  return written === given.length ? whole : undefined;
};

const fits = (dtype: DType, value: unknown): boolean => {
  const { family, range } = dtypes[dtype];
  if (family === "bytes") return typeof value === "string" || value instanceof Uint8Array;
  if (family === "bool") return typeof value === "boolean";
  if (family === "float") return typeof value === "number";
  if (typeof value !== "bigint" && !(typeof value === "number" && Number.isInteger(value))) return false;
  return range === undefined || (BigInt(value) >= range[0] && BigInt(value) <= range[1]);
};

const wordsFor = (dtype: DType): string => {
  const { family, range } = dtypes[dtype];
  if (family === "bytes") return 'strings ("…") or Uint8Arrays';
  if (family === "bool") return "true or false";
  return family === "float" ? "numbers" : `whole numbers from ${range?.[0]} to ${range?.[1]}`;
};
