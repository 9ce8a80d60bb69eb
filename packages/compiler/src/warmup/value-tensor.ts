import {
  type Dims,
  type DType,
  dtypes,
  elementCount,
  hasLoneSurrogate,
  isByteString,
  isElement,
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
  const lists = asLists(dtype, value);
  const given = isNdArray(value)
    ? { sizes: value.shape, elements: [...value.data] }
    : { sizes: sizesOf(lists), elements: flatten(lists) };
  const wrong = given.elements.findIndex(
    (element) => !isElement(dtype, element) || hasLoneSurrogate(element),
  );
  if (wrong >= 0)
    return { wrongValue: showValue(given.elements[wrong]), wanted: wordsFor(dtype, given.elements[wrong]) };
  if (!given.sizes.every((size) => Number.isSafeInteger(size) && size >= 0))
    return { wrongShape: `values of shape ${showValue(given.sizes)}` };
  const isEven = isNdArray(value) || hasSizes(lists, given.sizes);
  if (elementCount(given.sizes) !== given.elements.length || !isEven)
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

/** The same values with lists instead of typed arrays; for BYTES, a Uint8Array is an element. */
const asLists = (dtype: DType, value: unknown): unknown => {
  if (isList(value)) return value.map((item) => asLists(dtype, item));
  const isTyped = ArrayBuffer.isView(value) && !(value instanceof DataView);
  return isTyped && !(dtype === "BYTES" && isByteString(value))
    ? Array.from(value as unknown as ArrayLike<unknown>)
    : value;
};

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const flatten = (value: unknown): readonly unknown[] => (isList(value) ? value.flatMap(flatten) : [value]);
const sizesOf = (value: unknown): readonly number[] =>
  isList(value) ? [value.length, ...(value.length === 0 ? [] : sizesOf(value[0]))] : [];

/** Whether all nested lists of a level have the same length. */
const hasSizes = (value: unknown, [size, ...inner]: readonly number[]): boolean =>
  size === undefined
    ? !isList(value)
    : isList(value) && value.length === size && value.every((item) => hasSizes(item, inner));

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

const wordsFor = (dtype: DType, got: unknown): string => {
  const { family, range } = dtypes[dtype];
  if (hasLoneSurrogate(got)) return "texts without half of a surrogate pair";
  if (family === "bytes") return 'strings ("…") or Uint8Arrays';
  if (family === "bool") return "true or false";
  if (family === "float") return typeof got === "number" ? `numbers that ${dtype} can hold` : "numbers";
  if (typeof got === "bigint" && range !== undefined && got >= range[0] && got <= range[1])
    return "numbers, not bigints";
  if (Number.isInteger(got) && !Number.isSafeInteger(got)) return "whole numbers beyond 2^53 as bigints";
  return `whole numbers from ${range?.[0]} to ${range?.[1]}`;
};
