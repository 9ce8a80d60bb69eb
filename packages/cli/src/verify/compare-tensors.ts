import {
  decodeUtf8,
  dtypes,
  type NamedTensors,
  type TensorData,
  typedArrayOf,
  valuesOf,
} from "@tritype/core";
import {
  compareIntegers,
  compareNumbers,
  compareTexts,
  compareTypes,
  different,
  type TensorComparison,
} from "@tritype/inspector/view";

/**
 * Compares responses tensor by tensor. Floating-point numbers, including those in JSON objects and arrays, are equal
 * if |a - b| <= tolerance + tolerance * |b|; integers, if |a - b| <= tolerance.
 */
export const compareAnswers = (
  answer: NamedTensors,
  reference: NamedTensors,
  tolerance: number,
): readonly TensorComparison[] => [
  ...[...reference].map(([name, wanted]) => compareTensors(name, answer.get(name), wanted, tolerance)),
  ...[...answer.keys()]
    .filter((name) => !reference.has(name))
    .map((name) => different(name, "only this run returned it")),
];

export const compareTensors = (
  name: string,
  got: TensorData | undefined,
  wanted: TensorData,
  tolerance: number,
): TensorComparison => {
  if (got === undefined) return different(name, "missing");
  const types = compareTypes(name, got, wanted);
  if (types !== undefined) return types;
  if (got.dtype !== "BYTES" || wanted.dtype !== "BYTES") {
    if (got.dtype !== "BYTES" && wanted.dtype !== "BYTES" && sameBytes(got.data, wanted.data))
      return compareNumbers(name, [], [], tolerance);
    return dtypes[wanted.dtype].family === "float"
      ? compareNumbers(name, numbersOf(got), numbersOf(wanted), tolerance)
      : compareIntegers(name, valuesOf(got).map(BigInt), valuesOf(wanted).map(BigInt), tolerance);
  }
  const unequal = got.data.flatMap((bytes, at) => {
    const other = wanted.data[at] ?? new Uint8Array();
    return sameBytes(bytes, other) ? [] : [{ at, got: decodeUtf8(bytes), wanted: decodeUtf8(other) }];
  });
  return compareTexts(name, unequal, tolerance);
};

/** Without a copy if possible: tensors may have millions of elements. */
const numbersOf = (tensor: TensorData): ArrayLike<number> =>
  tensor.dtype === "FP32" || tensor.dtype === "FP64"
    ? (typedArrayOf(tensor) as Float32Array | Float64Array)
    : valuesOf(tensor).map(Number);

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
