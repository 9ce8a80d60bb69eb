import {
  bfloat16ToNumber,
  decodeUtf8,
  type DType,
  type FixedTensor,
  halfToNumber,
  type TensorData,
  typedArrayOf,
} from "@tritype/core";
import { compareJson, parseJson, showText } from "./compare-json.ts";

/** The kind of comparison that a dtype allows. */
export type ElementKind = "float" | "integer" | "boolean" | "bytes";

/** The differences in one row of one output. */
export interface RowComparison {
  readonly elements: number;
  /** Number of equal elements: `===`, NaN in both, the same bytes, or the same values in JSON. 0 equals -0. */
  readonly equal: number;
  /** Largest |candidate - reference| over finite elements and numbers in JSON; 0 for other text. */
  readonly maxAbsolute: number;
  /**
   * |candidate - reference|₂ / |reference|₂ for floats, and the share of different elements for everything else. A JSON
   * element in which only numbers differ counts as the relative distance of its numbers, at most 1.
   */
  readonly distance: number;
  /**
   * For floats with at least two elements, all of them finite. It is 1 for two rows of zeros, and 0 if only one of the
   * rows is zero.
   */
  readonly cosine: number | undefined;
  /**
   * For floats: the number of positions before the last axis, and how many of them have their largest value at the same
   * index.
   */
  readonly positions: number;
  readonly agreed: number;
  readonly nonFinite: NonFiniteCounts;
  /** Number of elements that are JSON objects or arrays in the reference. */
  readonly json: number;
  /** Like `equal`, but numbers in JSON may differ unless both are whole numbers. */
  readonly equalExceptNumbers: number;
  /**
   * The first element that differs and is not finite on at least one side, or otherwise the one with the largest
   * difference; for text, the first one that differs in more than the numbers in JSON.
   */
  readonly worstElement: WorstElement | undefined;
}

/** Non-finite elements. */
export interface NonFiniteCounts {
  readonly reference: { readonly nan: number; readonly infinite: number };
  readonly candidate: { readonly nan: number; readonly infinite: number };
  /** Elements that differ and are not finite on at least one side. */
  readonly mismatched: number;
}

export interface WorstElement {
  /** Row-major index within the row. */
  readonly index: number;
  /** In a JSON element: the path of the value, such as `items[2].score`. */
  readonly path?: string | undefined;
  readonly reference: string;
  readonly candidate: string;
}

/** Receives the errors of individual elements. */
export interface ErrorReceiver {
  absolute(error: number): void;
  relative(error: number): void;
  /** The reference is 0 or smaller than the dtype's smallest normal number, so a ratio to it is meaningless. */
  withoutRelative(): void;
}

const smallestNormal: Readonly<Partial<Record<DType, number>>> = {
  FP16: 2 ** -14,
  BF16: 2 ** -126,
  FP32: 2 ** -126,
  FP64: 2 ** -1022,
};

export const elementKind = (dtype: DType): ElementKind => {
  if (dtype === "BYTES") return "bytes";
  if (dtype === "BOOL") return "boolean";
  return dtype in smallestNormal ? "float" : "integer";
};

/** Compares two rows with the same shape and kind of elements. */
export const compareRow = (
  reference: TensorData,
  candidate: TensorData,
  errors: ErrorReceiver,
): RowComparison => {
  if (reference.dtype === "BYTES" || candidate.dtype === "BYTES")
    return compareBytes(bytesOf(reference), bytesOf(candidate), errors);
  return elementKind(reference.dtype) === "float"
    ? compareFloats(reference, candidate, errors)
    : compareIntegers(reference, candidate, errors);
};

const bytesOf = (tensor: TensorData): readonly Uint8Array[] => (tensor.dtype === "BYTES" ? tensor.data : []);

/** Float elements as numbers; 32-bit and 64-bit ones without a copy. */
const floatsOf = (tensor: FixedTensor): Float32Array | Float64Array => {
  const view = typedArrayOf(tensor);
  if (tensor.dtype === "FP16") return Float32Array.from(view as Uint16Array, halfToNumber);
  if (tensor.dtype === "BF16") return Float32Array.from(view as Uint16Array, bfloat16ToNumber);
  return view as Float32Array | Float64Array;
};

export const allFinite: NonFiniteCounts = {
  reference: { nan: 0, infinite: 0 },
  candidate: { nan: 0, infinite: 0 },
  mismatched: 0,
};

const compareFloats = (
  reference: FixedTensor,
  candidate: FixedTensor,
  errors: ErrorReceiver,
): RowComparison => {
  const a = floatsOf(candidate);
  const b = floatsOf(reference);
  const least = smallestNormal[reference.dtype] ?? 0;
  const counts = { nanA: 0, nanB: 0, infiniteA: 0, infiniteB: 0, mismatched: 0 };
  let equal = 0;
  let maxAbsolute = 0;
  let worst = -1;
  let strange = -1;
  for (let i = 0; i < b.length; i++) {
    const x = a[i] ?? Number.NaN;
    const y = b[i] ?? Number.NaN;
    const finite = Number.isFinite(x) && Number.isFinite(y);
    if (!finite) {
      if (Number.isNaN(x)) counts.nanA++;
      else if (!Number.isFinite(x)) counts.infiniteA++;
      if (Number.isNaN(y)) counts.nanB++;
      else if (!Number.isFinite(y)) counts.infiniteB++;
    }
    const same = x === y || (Number.isNaN(x) && Number.isNaN(y));
    if (same) equal++;
    if (!finite) {
      if (same) continue;
      counts.mismatched++;
      if (strange < 0) strange = i;
      continue;
    }
    const error = Math.abs(x - y);
    errors.absolute(error);
    if (Math.abs(y) >= least) errors.relative(error / Math.abs(y));
    else errors.withoutRelative();
    if (error > maxAbsolute) {
      maxAbsolute = error;
      worst = i;
    }
  }
  const at = strange >= 0 ? strange : worst;
  const finite = counts.nanA + counts.nanB + counts.infiniteA + counts.infiniteB === 0;
  return {
    elements: b.length,
    equal,
    maxAbsolute: Math.min(maxAbsolute, Number.MAX_VALUE),
    distance: finite ? (equal === b.length ? 0 : relativeDistance(a, b)) : counts.mismatched,
    cosine: finite && b.length >= 2 ? (equal === b.length ? 1 : cosineOf(a, b)) : undefined,
    ...agreement(a, b, reference.shape.at(-1) ?? 1),
    nonFinite: finite
      ? allFinite
      : {
          reference: { nan: counts.nanB, infinite: counts.infiniteB },
          candidate: { nan: counts.nanA, infinite: counts.infiniteA },
          mismatched: counts.mismatched,
        },
    json: 0,
    equalExceptNumbers: equal,
    worstElement:
      at < 0 ? undefined : { index: at, reference: showFloat(b[at]), candidate: showFloat(a[at]) },
  };
};

const showFloat = (value = Number.NaN): string => {
  const short = Number(value.toPrecision(9));
  return Object.is(short, -0) ? "-0" : String(short);
};

type Floats = Float32Array | Float64Array;

const largest = (values: Floats): number => {
  let max = 0;
  for (const value of values) max = Math.max(max, Math.abs(value));
  return max;
};

/** Divides each row by its largest value first, because the squares of 1e200 and 1e-200 overflow and underflow. */
const cosineOf = (a: Floats, b: Floats): number => {
  const [scaleA, scaleB] = [largest(a), largest(b)];
  if (scaleA === 0 || scaleB === 0) return scaleA === scaleB ? 1 : 0;
  let dot = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (let i = 0; i < b.length; i++) {
    const x = (a[i] ?? 0) / scaleA;
    const y = (b[i] ?? 0) / scaleB;
    dot += x * y;
    squaresA += x * x;
    squaresB += y * y;
  }
  return Math.max(-1, Math.min(1, dot / Math.sqrt(squaresA * squaresB)));
};

const relativeDistance = (a: Floats, b: Floats): number => {
  const scale = Math.max(largest(a), largest(b));
  let difference = 0;
  let squares = 0;
  for (let i = 0; i < b.length; i++) {
    const y = (b[i] ?? 0) / scale;
    difference += ((a[i] ?? 0) / scale - y) ** 2;
    squares += y * y;
  }
  return squares === 0 ? Number.MAX_VALUE : Math.sqrt(difference / squares);
};

/**
 * Whether the largest value is at the same position; in a tie, the first value counts, and NaN comes before all others,
 * as in numpy's argmax.
 */
const agreement = (a: Floats, b: Floats, size: number): { positions: number; agreed: number } => {
  if (size < 2) return { positions: 0, agreed: 0 };
  const positions = b.length / size;
  let agreed = 0;
  for (let position = 0; position < positions; position++)
    if (argmax(a, position * size, size) === argmax(b, position * size, size)) agreed++;
  return { positions, agreed };
};

const argmax = (values: Floats, from: number, size: number): number => {
  let best = 0;
  for (let i = 0; i < size; i++) {
    const value = values[from + i] ?? Number.NaN;
    if (Number.isNaN(value)) return i;
    if (value > (values[from + best] ?? Number.NaN)) best = i;
  }
  return best;
};

/** Integers and booleans are compared exactly, even with 64 bits. */
const compareIntegers = (
  reference: FixedTensor,
  candidate: FixedTensor,
  errors: ErrorReceiver,
): RowComparison => {
  const a = typedArrayOf(candidate);
  const b = typedArrayOf(reference);
  let equal = 0;
  let maxAbsolute = 0;
  let worst = -1;
  for (let i = 0; i < b.length; i++) {
    const x = a[i] ?? 0;
    const y = b[i] ?? 0;
    // Uses BigInt, because as numbers, 2^53 and 2^53 + 1 are the same.
    const same = typeof x === typeof y ? x === y : BigInt(x) === BigInt(y);
    const error = same ? 0 : Number(distanceOf(BigInt(x), BigInt(y)));
    errors.absolute(error);
    if (same) equal++;
    else if (error > maxAbsolute) {
      maxAbsolute = error;
      worst = i;
    }
  }
  return {
    ...exactly(b.length, equal),
    maxAbsolute,
    worstElement:
      worst < 0 ? undefined : { index: worst, reference: String(b[worst]), candidate: String(a[worst]) },
  };
};

const distanceOf = (x: bigint, y: bigint): bigint => (x > y ? x - y : y - x);

/** JSON objects and arrays are compared by structure, everything else byte by byte. */
const compareBytes = (
  reference: readonly Uint8Array[],
  candidate: readonly Uint8Array[],
  errors: ErrorReceiver,
): RowComparison => {
  const elements = reference.map((y, index) => compareElement(index, y, candidate[index], errors));
  const largest = elements.toSorted((a, b) => b.maxAbsolute - a.maxAbsolute)[0];
  return {
    ...exactly(elements.length, elements.filter(({ equal }) => equal).length),
    maxAbsolute: largest?.maxAbsolute ?? 0,
    distance: elements.length === 0 ? 0 : sumOf(elements, ({ distance }) => distance) / elements.length,
    json: elements.filter(({ json }) => json).length,
    equalExceptNumbers: elements.filter(({ exceptNumbers }) => exceptNumbers).length,
    worstElement: (elements.find(({ exceptNumbers }) => !exceptNumbers) ?? largest)?.worst,
  };
};

interface ComparedBytes extends Pick<RowComparison, "maxAbsolute" | "distance"> {
  readonly equal: boolean;
  /** Whether the reference is JSON. */
  readonly json: boolean;
  readonly exceptNumbers: boolean;
  readonly worst: WorstElement | undefined;
}

const compareElement = (
  index: number,
  reference: Uint8Array,
  candidate: Uint8Array = new Uint8Array(),
  errors: ErrorReceiver,
): ComparedBytes => {
  const same = sameBytes(candidate, reference);
  const y = parseJson(reference);
  const x = same ? y : parseJson(candidate);
  if (y === undefined || x === undefined)
    return {
      equal: same,
      json: y !== undefined,
      exceptNumbers: same,
      maxAbsolute: 0,
      distance: same ? 0 : 1,
      worst: same ? undefined : { index, reference: showBytes(reference), candidate: showBytes(candidate) },
    };
  const { numbers, difference } = compareJson(y, x);
  const row = compareFloats(
    doubles(numbers.map((pair) => pair.reference)),
    doubles(numbers.map((pair) => pair.candidate)),
    errors,
  );
  const worst = difference ?? numbers[row.worstElement?.index ?? -1];
  return {
    equal: difference === undefined && row.equal === row.elements,
    json: true,
    exceptNumbers: difference === undefined,
    maxAbsolute: row.maxAbsolute,
    distance: difference === undefined ? Math.min(1, row.distance) : 1,
    worst: worst && {
      index,
      ...(worst.path === "" ? {} : { path: worst.path }),
      reference: String(worst.reference),
      candidate: String(worst.candidate),
    },
  };
};

const doubles = (values: readonly number[]): FixedTensor => ({
  dtype: "FP64",
  shape: [values.length],
  data: new Uint8Array(Float64Array.from(values).buffer),
});

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

const exactly = (elements: number, equal: number): Omit<RowComparison, "maxAbsolute" | "worstElement"> => ({
  elements,
  equal,
  distance: elements === 0 ? 0 : (elements - equal) / elements,
  cosine: undefined,
  positions: 0,
  agreed: 0,
  nonFinite: allFinite,
  json: 0,
  equalExceptNumbers: equal,
});

const sameBytes = (a: Uint8Array | undefined, b: Uint8Array): boolean =>
  a?.length === b.length && b.every((byte, i) => a[i] === byte);

const longestBytes = 30;

/** Text in quotes; bytes that are not UTF-8 in hexadecimal, so that different values look different. */
const showBytes = (bytes: Uint8Array): string => {
  const text = decodeUtf8(bytes);
  if (text.includes("\uFFFD"))
    return `bytes ${[...bytes.subarray(0, longestBytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}${bytes.length > longestBytes ? "…" : ""}`;
  return showText(text);
};
