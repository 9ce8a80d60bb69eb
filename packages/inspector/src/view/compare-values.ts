import { attempt, parseExactJson } from "@tritype/core";

/** The deviation of one tensor from the reference. */
export interface TensorComparison {
  readonly name: string;
  /** Largest |a - b|, also for numbers in JSON text; Infinity if a number is compared with NaN or an infinity. 0 for equal text. */
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

interface Shaped {
  readonly dtype: string;
  readonly shape: readonly number[];
}

/** The difference between two tensors that have different types; undefined if their elements can be compared. */
export const compareTypes = (name: string, got: Shaped, wanted: Shaped): TensorComparison | undefined => {
  if (got.dtype !== wanted.dtype) return different(name, `${got.dtype}, not ${wanted.dtype}`);
  if (got.shape.join() === wanted.shape.join()) return undefined;
  return different(name, `shape [${got.shape.join(", ")}], not [${wanted.shape.join(", ")}]`);
};

/** Numbers are equal if |a - b| <= tolerance + tolerance * |b|; NaN and the infinities only equal themselves. */
export const compareNumbers = (
  name: string,
  got: ArrayLike<number>,
  wanted: ArrayLike<number>,
  tolerance: number,
): TensorComparison => {
  let maxAbsolute = 0;
  let maxRelative = 0;
  let ok = true;
  for (let i = 0; i < got.length; i++) {
    const a = got[i] ?? Number.NaN;
    const b = wanted[i] ?? Number.NaN;
    if (Object.is(a, b) || a === b) continue;
    const difference = Number.isNaN(a - b) ? Infinity : Math.abs(a - b);
    maxAbsolute = Math.max(maxAbsolute, difference);
    if (Math.abs(b) > tolerance && Number.isFinite(b))
      maxRelative = Math.max(maxRelative, difference / Math.abs(b));
    ok &&= Number.isFinite(difference) && difference <= tolerance + tolerance * Math.abs(b);
  }
  return { name, maxAbsolute, maxRelative, ok, problem: undefined };
};

/** Integers are equal if |a - b| <= tolerance: most are ids or counts, and a `number` cannot represent all of 64 bits. */
export const compareIntegers = (
  name: string,
  got: readonly bigint[],
  wanted: readonly bigint[],
  tolerance: number,
): TensorComparison => {
  let maxAbsolute = 0;
  let maxRelative = 0;
  got.forEach((a, i) => {
    const b = wanted[i] ?? 0n;
    const [difference, size] = [Math.abs(Number(a - b)), Math.abs(Number(b))];
    maxAbsolute = Math.max(maxAbsolute, difference);
    if (size > tolerance) maxRelative = Math.max(maxRelative, difference / size);
  });
  return { name, maxAbsolute, maxRelative, ok: maxAbsolute <= tolerance, problem: undefined };
};

/** An element whose strings differ between two tensors. */
export interface UnequalTexts {
  readonly at: number;
  readonly got: string;
  readonly wanted: string;
}

/** Compares strings; numbers in JSON objects and arrays are compared as numbers. */
export const compareTexts = (
  name: string,
  unequal: readonly UnequalTexts[],
  tolerance: number,
): TensorComparison => {
  const numbers: { readonly got: readonly number[]; readonly wanted: readonly number[] }[] = [];
  for (const { at, got, wanted } of unequal) {
    const [left, right] = [jsonNumbers(got), jsonNumbers(wanted)];
    if (left === undefined || left.without !== right?.without || otherWhole(left.numbers, right.numbers))
      return different(name, `element ${at} is ${quoted(got)}, not ${quoted(wanted)}`);
    numbers.push({ got: left.numbers, wanted: right.numbers });
  }
  return compareNumbers(
    name,
    numbers.flatMap((one) => one.got),
    numbers.flatMap((one) => one.wanted),
    tolerance,
  );
};

/** A tensor that cannot be compared numerically. */
export const different = (name: string, problem: string): TensorComparison => ({
  name,
  maxAbsolute: Infinity,
  maxRelative: Infinity,
  ok: false,
  problem,
});

/** Integers in JSON are counts or identifiers, so they have no tolerance. */
const otherWhole = (got: readonly number[], wanted: readonly number[]): boolean =>
  got.some((a, i) => Number.isInteger(a) && Number.isInteger(wanted[i]) && a !== wanted[i]);

const quoted = (text: string): string => JSON.stringify(text.slice(0, 40));

/** The numbers in a JSON object or array in order, and the text without them; it keeps integers beyond 2^53. */
interface JsonNumbers {
  readonly numbers: readonly number[];
  readonly without: string;
}

/** Undefined for text that is not a JSON object or array. */
const jsonNumbers = (text: string): JsonNumbers | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const numbers: number[] = [];
  return attempt(() => {
    const without = JSON.stringify(parseExactJson(text), (_, value: unknown) => {
      if (typeof value === "bigint") return `${value}n`;
      if (typeof value !== "number") return value;
      numbers.push(value);
      return 0;
    });
    return { numbers, without };
  });
};
