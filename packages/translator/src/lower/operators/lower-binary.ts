import type { Arithmetic, Binary, Expression } from "../../ir/code.ts";
import { isAlways, isMissing, kindOf } from "../../ir/value-type.ts";
import { pyBinary, pyCall, pyInt } from "../../python/build.ts";
import type { PyArithmetic, PyExpression } from "../../python/syntax.ts";
import { isInt, type Num } from "../../ranges/num.ts";
import { lowerComparison } from "./lower-comparison.ts";
import { lowerInt32 } from "./int32.ts";
import type { Lowering } from "../lowering.ts";
import type { LoweringState } from "../lowering-state.ts";
import { operand } from "./operand.ts";

/** An operator with two operands. */
export const lowerBinary = (lowering: LoweringState, expression: Binary): PyExpression => {
  const { operator, left, right, at } = expression;
  if (!isArithmetic(operator)) return lowerComparison(lowering, expression);
  if (operator === "+" && (isText(left) || isText(right)))
    return pyBinary("+", lowering.text(left), lowering.text(right));
  return lowerArithmetic(lowering, operator, left, right, lowering.num(expression), at);
};

const isArithmetic = (operator: string): operator is Arithmetic =>
  /^(?:\+|-|\*{1,2}|\/|%|&|\||\^|<<|>>>?)$/.test(operator);

const isText = ({ type }: Expression): boolean => isAlways(type, "string");

/** Arithmetic on two numbers or two bigints. `made`: the range of the result. */
export const lowerArithmetic = (
  lowering: LoweringState,
  operator: Arithmetic,
  left: Expression,
  right: Expression,
  made: Num,
  at: Expression["at"],
): PyExpression => {
  const kinds = [kindOf(left.type), kindOf(right.type)];
  const refuse: Lowering["refuse"] = (...what) => {
    for (const side of [left, right]) lowering.expression(side);
    return lowering.refuse(...what);
  };
  const unclear = [left, right].find(({ type }) => kindOf(type) === "unknown");
  if (unclear !== undefined)
    return refuse(
      unclear.at,
      "function/any",
      `\`${operator}\` of something of type \`${unclear.type.text}\``,
      undefined,
      { of: unclear.type },
    );
  const maybe = [left, right].find(({ type }) => isMissing(type));
  if (maybe !== undefined)
    return refuse(
      maybe.at,
      "function/mixed-kinds",
      `\`${operator}\` of \`${maybe.type.text}\``,
      "`?? 0`, or a check beforehand",
    );
  if (kinds.every((kind) => kind === "bigint")) return lowerBig(lowering, operator, left, right, at);
  if (!kinds.every((kind) => kind === "number"))
    return refuse(
      at,
      "function/mixed-kinds",
      `\`${operator}\` between \`${left.type.text}\` and \`${right.type.text}\``,
      "`Number(x)` or `String(x)`",
    );
  if (operator === "**") return lowerPower(lowering, left, right, made, at);
  return (numeric[operator] ?? plain(operator as "+" | "-" | "*"))(lowering, left, right, made);
};

/**
 * Squares, and powers of integers whose result is exact. V8 and Python round other powers differently, so those are
 * refused. Tested in `test/translator/powers.test.ts`.
 */
const lowerPower = (
  lowering: LoweringState,
  left: Expression,
  right: Expression,
  made: Num,
  at: Expression["at"],
): PyExpression => {
  if (right.kind === "number" && right.value === 2) {
    const value = isInt(made) ? operand(lowering, left) : lowering.float(left);
    return lowering.hold(value, left.type, (first, again) => pyBinary("*", first, again));
  }
  const [base, exponent] = [lowering.num(left), lowering.num(right)];
  if (isInt(made)) return pyCall("pow", operand(lowering, left), operand(lowering, right));
  const isWhole = left.kind === "number" || (isInt(base) && isInt(exponent));
  if (isWhole && isInt(base) && !(isInt(exponent) && exponent.high < 0))
    return pyCall("power", operand(lowering, left), operand(lowering, right));
  for (const side of [left, right]) lowering.expression(side);
  return lowering.refuse(
    at,
    "function/inexact-math",
    "`**`: powers of numbers other than integers differ in the last digit between V8 and Python",
    insteadOfPower(right),
  );
};

const insteadOfPower = (exponent: Expression): string => {
  if (exponent.kind === "number" && Number.isInteger(exponent.value) && exponent.value > 2)
    return exponent.value < 5
      ? `\`${Array.from({ length: exponent.value }, () => "x").join(" * ")}\``
      : "a product in a loop, or a `python` step";
  if (exponent.kind === "number" && exponent.value === 0.5) return "`Math.sqrt(x)`";
  const isNegative = exponent.kind === "unary" && exponent.operator === "-";
  return isNegative
    ? "`1 / x` and products, or a `python` step"
    : "products, `Math.sqrt`, or a `python` step";
};

type Lower = (lowering: LoweringState, left: Expression, right: Expression, made: Num) => PyExpression;

/** Python's floats compute as JavaScript's numbers do; its ints do so only if the result is certainly exact. */
const plain =
  (operator: "+" | "-" | "*"): Lower =>
  (lowering, left, right, made) => {
    const hasFloat = lowering.num(left).kind === "float" || lowering.num(right).kind === "float";
    if (isInt(made) || hasFloat) return pyBinary(operator, operand(lowering, left), operand(lowering, right));
    if (right.kind === "number") return pyBinary(operator, operand(lowering, left), lowering.float(right));
    return pyBinary(operator, lowering.float(left), operand(lowering, right));
  };

const bits =
  (operator: "&" | "|" | "^"): Lower =>
  (lowering, left, right) => {
    if (operator === "|" && right.kind === "number" && right.value === 0) return lowerInt32(lowering, left);
    return pyBinary(operator, lowerInt32(lowering, left), lowerInt32(lowering, right));
  };

/** The number of bits by which to shift, of which JavaScript uses the lowest five bits. */
const places = (lowering: LoweringState, right: Expression): PyExpression => {
  const num = lowering.num(right);
  const value = lowerInt32(lowering, right);
  return isInt(num) && num.low >= 0 && num.high < 32 ? value : pyBinary("&", value, pyInt(31));
};

const numeric: Partial<Record<Arithmetic, Lower>> = {
  "/": (lowering, left, right) => {
    const divisor = lowering.num(right);
    const nonzero =
      (right.kind === "number" && right.value !== 0) ||
      (isInt(divisor) && (divisor.low > 0 || divisor.high < 0));
    return nonzero
      ? pyBinary("/", operand(lowering, left), operand(lowering, right))
      : pyCall("div", operand(lowering, left), operand(lowering, right));
  },
  "%": (lowering, left, right, made) =>
    isInt(made)
      ? pyBinary("%", operand(lowering, left), operand(lowering, right))
      : pyCall("rem", operand(lowering, left), operand(lowering, right)),
  "&": bits("&"),
  "|": bits("|"),
  "^": bits("^"),
  "<<": (lowering, left, right) =>
    pyCall("to_int32", pyBinary("<<", lowerInt32(lowering, left), places(lowering, right))),
  ">>": (lowering, left, right) => pyBinary(">>", lowerInt32(lowering, left), places(lowering, right)),
  ">>>": (lowering, left, right) => {
    const num = lowering.num(left);
    const unsigned =
      isInt(num) && num.low >= 0 && num.high < 2 ** 32
        ? lowering.expression(left)
        : pyCall("to_uint32", operand(lowering, left));
    return right.kind === "number" && right.value === 0
      ? unsigned
      : pyBinary(">>", unsigned, places(lowering, right));
  },
};

const sameOnBigints: Partial<Record<Arithmetic, PyArithmetic>> = {
  "+": "+",
  "-": "-",
  "*": "*",
  "&": "&",
  "|": "|",
  "^": "^",
};

const lowerBig = (
  lowering: LoweringState,
  operator: Arithmetic,
  left: Expression,
  right: Expression,
  at: Expression["at"],
): PyExpression => {
  const [a, b] = [lowering.expression(left), lowering.expression(right)];
  if (operator === "/") return pyCall("big_div", a, b);
  if (operator === "%") return pyCall("big_rem", a, b);
  if (operator === "**") return pyCall("big_power", a, b);
  const same = sameOnBigints[operator];
  const isShift = operator === "<<" || operator === ">>";
  if (isShift && right.kind === "bigint") return pyBinary(operator, a, b);
  if (same === undefined)
    return lowering.refuse(
      at,
      "function/mixed-kinds",
      `\`${operator}\` of bigints`,
      isShift ? "a literal number of places, or `*` and `/`" : "`BigInt.asUintN(64, x)`",
    );
  return pyBinary(same, a, b);
};
