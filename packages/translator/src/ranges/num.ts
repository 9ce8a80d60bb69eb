/**
 * The range of a number in Python: an int between two bounds that is never -0, a float, or either ("any"). Ints stay
 * within the integers that JavaScript represents exactly.
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
/** The highest value that counting from 0 can reach: 2 ** 36 iterations with the largest step take hours in Python. */
export const farthestCount: number = 2 ** 51;
/** The highest value at which counting may start: slightly beyond the end of another count. A variable that starts higher is a float. */
export const farthestStart: number = 2 ** 51 + 2 ** 48;
/**
 * The largest counting step with which no loop goes beyond `farthestCount`. A step by a length may be larger, but few
 * arrays of that size fit into memory.
 */
export const largestStep: number = 2 ** 15;
/** Lengths and positions. */
export const length: Num & { readonly kind: "int" } = { kind: "int", low: 0, high: 2 ** 32 };
export const position: Num = { kind: "int", low: -1, high: 2 ** 32 };
export const int32: Num = { kind: "int", low: -(2 ** 31), high: 2 ** 31 - 1 };
export const uint32: Num = { kind: "int", low: 0, high: 2 ** 32 - 1 };

/** Whether the range of a number is that of a length or position. */
export const isLength = (num: Num): boolean =>
  isInt(num) && (num.low === 0 || num.low === -1) && num.high === length.high;

export const isInt = (num: Num): num is Extract<Num, { kind: "int" }> => num.kind === "int";

/** The range that covers two ranges. */
export const eitherNum = (a: Num | undefined, b: Num | undefined): Num | undefined => {
  if (a === undefined || b === undefined) return a ?? b;
  if (isInt(a) && isInt(b))
    return { kind: "int", low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
  return a.kind === b.kind ? a : anyNumber;
};

export const sameNum = (a: Num | undefined, b: Num | undefined): boolean =>
  a === b ||
  (a?.kind === b?.kind && (a?.kind !== "int" || (b?.kind === "int" && a.low === b.low && a.high === b.high)));
