/**
 * What is known about a number in Python: an int between two bounds that is never -0, a float, or one of both. Ints are
 * those that JavaScript holds exactly.
 */
export type Num =
  | { readonly kind: "int"; readonly low: number; readonly high: number }
  | { readonly kind: "float" }
  | { readonly kind: "any" };

export const float: Num = { kind: "float" };
export const anyNumber: Num = { kind: "any" };
/** An int if the bounds allow it, otherwise undefined. */
export const intBetween = (low: number, high: number): Num | undefined =>
  low >= -limit && high <= limit ? { kind: "int", low, high } : undefined;

const limit = Number.MAX_SAFE_INTEGER;
/** The maximum that counting from 0 can reach: 2 ** 36 iterations with the largest step take hours in Python. */
export const farthestCount: number = 2 ** 51;
/** The maximum from which counting may start: the end of another count and a little more. A number that starts beyond it is a float. */
export const farthestStart: number = 2 ** 51 + 2 ** 48;
/** A counting step that cannot reach `farthestCount`. Lengths may be larger, but memory holds few of that size. */
export const largestStep: number = 2 ** 15;
/** Lengths and positions. */
export const length: Num & { readonly kind: "int" } = { kind: "int", low: 0, high: 2 ** 32 };
export const position: Num = { kind: "int", low: -1, high: 2 ** 32 };
export const int32: Num = { kind: "int", low: -(2 ** 31), high: 2 ** 31 - 1 };
export const uint32: Num = { kind: "int", low: 0, high: 2 ** 32 - 1 };

/** Whether nothing is known about a number except that it is a length. */
export const isLength = (num: Num): boolean =>
  isInt(num) && (num.low === 0 || num.low === -1) && num.high === length.high;

export const isInt = (num: Num): num is Extract<Num, { kind: "int" }> => num.kind === "int";

/** Something that may be either of two things. */
export const eitherNum = (a: Num | undefined, b: Num | undefined): Num | undefined => {
  if (a === undefined || b === undefined) return a ?? b;
  if (isInt(a) && isInt(b))
    return { kind: "int", low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
  return a.kind === b.kind ? a : anyNumber;
};

export const sameNum = (a: Num | undefined, b: Num | undefined): boolean =>
  a === b ||
  (a?.kind === b?.kind && (a?.kind !== "int" || (b?.kind === "int" && a.low === b.low && a.high === b.high)));
