import { decodeUtf8, type NamedTensors, type TensorData, valuesOf } from "@tritype/core";

/** The deviation of one tensor of a response from the reference. */
export interface TensorComparison {
  readonly name: string;
  /** Largest |a - b|, also for numbers in JSON text; Infinity if a number is compared with NaN. 0 for equal text. */
  readonly maxAbsolute: number;
  /**
   * Largest |a - b| / |b| over elements whose reference is larger than the tolerance; closer to 0 the ratio is
   * meaningless.
   */
  readonly maxRelative: number;
  readonly ok: boolean;
  /** Any other difference: dtype, shape, text. */
  readonly problem: string | undefined;
}

/**
 * Compares responses tensor by tensor. Numbers, including those in JSON objects and arrays, are equal if |a - b| <=
 * tolerance + tolerance * |b|.
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
  if (got.dtype !== wanted.dtype) return different(name, `${got.dtype}, not ${wanted.dtype}`);
  if (got.shape.join() !== wanted.shape.join())
    return different(name, `shape [${got.shape.join(", ")}], not [${wanted.shape.join(", ")}]`);
  if (got.dtype === "BYTES" && wanted.dtype === "BYTES") {
    const numbers: { readonly got: readonly number[]; readonly wanted: readonly number[] }[] = [];
    for (const [at, bytes] of got.data.entries()) {
      const other = wanted.data[at] ?? new Uint8Array();
      if (sameBytes(bytes, other)) continue;
      const [left, right] = [jsonNumbers(decodeUtf8(bytes)), jsonNumbers(decodeUtf8(other))];
      if (left === undefined || left.without !== right?.without || otherWhole(left.numbers, right.numbers))
        return different(name, `element ${at} is ${text(bytes)}, not ${text(other)}`);
      numbers.push({ got: left.numbers, wanted: right.numbers });
    }
    return compareNumbers(
      name,
      numbers.flatMap((one) => one.got),
      numbers.flatMap((one) => one.wanted),
      tolerance,
    );
  }
  return compareNumbers(name, valuesOf(got).map(Number), valuesOf(wanted).map(Number), tolerance);
};

/** Integers in JSON are counts or identifiers: no tolerance. */
const otherWhole = (got: readonly number[], wanted: readonly number[]): boolean =>
  got.some((a, i) => Number.isInteger(a) && Number.isInteger(wanted[i]) && a !== wanted[i]);

const compareNumbers = (
  name: string,
  got: readonly number[],
  wanted: readonly number[],
  tolerance: number,
): TensorComparison => {
  let maxAbsolute = 0;
  let maxRelative = 0;
  let ok = true;
  got.forEach((a, i) => {
    const b = wanted[i] ?? Number.NaN;
    if (Object.is(a, b) || a === b) return;
    const difference = Number.isNaN(a - b) ? Infinity : Math.abs(a - b);
    maxAbsolute = Math.max(maxAbsolute, difference);
    if (Math.abs(b) > tolerance) maxRelative = Math.max(maxRelative, difference / Math.abs(b));
    ok &&= difference <= tolerance + tolerance * Math.abs(b);
  });
  return { name, maxAbsolute, maxRelative, ok, problem: undefined };
};

/** A tensor that cannot be compared numerically. */
export const different = (name: string, problem: string): TensorComparison => ({
  name,
  maxAbsolute: Infinity,
  maxRelative: Infinity,
  ok: false,
  problem,
});
const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);
const text = (bytes: Uint8Array | undefined): string =>
  JSON.stringify(decodeUtf8(bytes ?? new Uint8Array()).slice(0, 40));

/** The numbers in a JSON object or array in order, and the text without them. */
interface JsonNumbers {
  readonly numbers: readonly number[];
  readonly without: string;
}

/** Undefined for text that is not a JSON object or array. */
const jsonNumbers = (text: string): JsonNumbers | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const numbers: number[] = [];
  try {
    const without = JSON.stringify(JSON.parse(text), (_, value: unknown) => {
      if (typeof value !== "number") return value;
      numbers.push(value);
      return 0;
    });
    return { numbers, without };
  } catch {
    return undefined;
  }
};
