import { bfloat16ToNumber, type DType, halfToNumber, numberToBfloat16, numberToHalf } from "@tritype/core";

type Stored =
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

/** How the elements of a dtype are stored in memory and sent. */
export interface ElementKind {
  /** A description of one element, in words. */
  readonly words: string;
  /** The array that holds stored elements; typed arrays whose constructor has the same name are sent unchanged. */
  readonly array: {
    new (length: number): Stored;
    new (buffer: ArrayBuffer, offset: number, length: number): Stored;
    readonly name: string;
    readonly BYTES_PER_ELEMENT: number;
  };
  /** The stored form of a value; undefined if it is not such an element. */
  readonly store: (value: unknown) => number | bigint | undefined;
  /** The form in which clients get stored elements; default: the elements themselves. */
  readonly load?: (stored: Stored) => unknown;
}

const integer = (array: ElementKind["array"], min: number, max: number): ElementKind => ({
  array,
  words: `an integer from ${min} to ${max}`,
  store: (x) => (typeof x === "number" && Number.isInteger(x) && x >= min && x <= max ? x : undefined),
});

const wide = (array: ElementKind["array"], min: bigint, max: bigint): ElementKind => ({
  array,
  words: `a bigint or safe integer from ${min} to ${max}`,
  store: (x) => {
    const exact = typeof x === "number" && Number.isSafeInteger(x) ? BigInt(x) : x;
    return typeof exact === "bigint" && exact >= min && exact <= max ? exact : undefined;
  },
});

/** @param toNumber The number that a stored element stands for. */
const float = (
  dtype: string,
  array: ElementKind["array"],
  toStored: (x: number) => number,
  toNumber: (stored: number) => number = (x) => x,
): ElementKind => ({
  array,
  words: `a number that ${dtype} can hold`,
  store: (x) => {
    if (typeof x !== "number") return undefined;
    const stored = toStored(x);
    return Number.isFinite(toNumber(stored)) || !Number.isFinite(x) ? stored : undefined;
  },
});

/** Two bytes on the wire, a Float32Array in JavaScript. */
const narrow = (
  dtype: string,
  toBits: (x: number) => number,
  toNumber: (bits: number) => number,
): ElementKind => ({
  ...float(dtype, Uint16Array, toBits, toNumber),
  load: (stored) => Float32Array.from(stored as Uint16Array, toNumber),
});

/** Every dtype whose elements have a fixed size. */
export const elementKinds: Readonly<Record<Exclude<DType, "BYTES">, ElementKind>> = {
  BOOL: {
    array: Uint8Array,
    words: "true or false",
    store: (x) => (typeof x === "boolean" ? Number(x) : undefined),
    load: (stored) => Array.from(stored as Uint8Array, (x) => x !== 0),
  },
  UINT8: integer(Uint8Array, 0, 255),
  UINT16: integer(Uint16Array, 0, 65_535),
  UINT32: integer(Uint32Array, 0, 4_294_967_295),
  UINT64: wide(BigUint64Array, 0n, 2n ** 64n - 1n),
  INT8: integer(Int8Array, -128, 127),
  INT16: integer(Int16Array, -32_768, 32_767),
  INT32: integer(Int32Array, -2_147_483_648, 2_147_483_647),
  INT64: wide(BigInt64Array, -(2n ** 63n), 2n ** 63n - 1n),
  FP16: narrow("FP16", numberToHalf, halfToNumber),
  BF16: narrow("BF16", numberToBfloat16, bfloat16ToNumber),
  FP32: float("FP32", Float32Array, Math.fround),
  FP64: float("FP64", Float64Array, (x) => x),
};

/** The number of elements of a shape. */
export const elementCount = (shape: readonly number[]): number =>
  shape.reduce((product, size) => product * size, 1);

/** Typed arrays that are sent without checking their elements. */
export const travelsAsItIs = (dtype: DType, data: unknown): data is Stored =>
  dtype !== "BYTES" &&
  dtype !== "BOOL" &&
  elementKinds[dtype].load === undefined &&
  ArrayBuffer.isView(data) &&
  (data as { readonly [Symbol.toStringTag]?: string })[Symbol.toStringTag] === elementKinds[dtype].array.name;

/**
 * The elements in wire format.
 * @param problem The error for the element at an index.
 */
export const packElements = (
  dtype: Exclude<DType, "BYTES">,
  elements: ArrayLike<unknown>,
  problem: (index: number, words: string) => Error,
): Uint8Array<ArrayBuffer> => {
  const { array, words, store } = elementKinds[dtype];
  const stored = new array(elements.length);
  for (let index = 0; index < elements.length; index++) {
    const element = store(elements[index]);
    if (element === undefined) throw problem(index, words);
    stored[index] = element;
  }
  return new Uint8Array(stored.buffer as ArrayBuffer);
};
