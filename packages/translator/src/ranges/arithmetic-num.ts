import type { Arithmetic } from "../ir/code.ts";
import { float, int32, intBetween, isInt, type Num, uint32 } from "./num.ts";

/** The range of an operator's result, given those of its operands. */
export const arithmeticNum: Readonly<Record<Arithmetic, (a: Num, b: Num) => Num>> = {
  "+": (a, b) => (isInt(a) && isInt(b) ? intBetween(a.low + b.low, a.high + b.high) : undefined) ?? float,
  "-": (a, b) => (isInt(a) && isInt(b) ? intBetween(a.low - b.high, a.high - b.low) : undefined) ?? float,
  "*": (a, b) => product(a, b) ?? float,
  "/": () => float,
  "%": (a, b) =>
    isInt(a) && isInt(b) && a.low >= 0 && b.low > 0
      ? { kind: "int", low: 0, high: Math.min(a.high, b.high - 1) }
      : float,
  "**": (a, b) =>
    isInt(a) && isInt(b) && a.low >= 0 && b.low >= 0 && b.high <= 1000
      ? (intBetween(a.low ** b.low, a.high ** b.high) ?? float)
      : float,
  "&": (a, b) => {
    const bounds = [a, b].flatMap((side) =>
      isInt(side) && side.low >= 0 && side.high < 2 ** 31 ? [side.high] : [],
    );
    return bounds.length === 0 ? int32 : { kind: "int", low: 0, high: Math.min(...bounds) };
  },
  "|": () => int32,
  "^": () => int32,
  "<<": () => int32,
  ">>": () => int32,
  ">>>": () => uint32,
};

/** The range of a product; undefined if it may be -0. */
const product = (a: Num, b: Num): Num | undefined => {
  if (!isInt(a) || !isInt(b)) return undefined;
  const bothPositive = a.low >= 0 && b.low >= 0;
  if (!bothPositive && (hasZero(a) || hasZero(b))) return undefined;
  const corners = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
  return intBetween(Math.min(...corners), Math.max(...corners));
};

const hasZero = (num: { readonly low: number; readonly high: number }): boolean =>
  num.low <= 0 && num.high >= 0;

export const negated = (a: Num): Num =>
  isInt(a) && !hasZero(a) ? { kind: "int", low: -a.high, high: -a.low } : float;
