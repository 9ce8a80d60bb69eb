import type { Expression } from "../../ir/code.ts";
import { isMissing, type Kind, type ValueType } from "../../ir/value-type.ts";
import { pyBinary, pyCall, pyName, pyNot } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import { missingTest } from "./missing.ts";
import type { LoweringState } from "../lowering-state.ts";

/** Whether a value is truthy in JavaScript, where an empty array is truthy and NaN is not. */
export const lowerCondition = (lowering: LoweringState, expression: Expression): PyExpression => {
  if (expression.kind === "unary" && expression.operator === "!")
    return pyNot(lowering.condition(expression.operand));
  if (expression.kind === "logical" && expression.operator !== "??") {
    const operator = expression.operator === "&&" ? "and" : "or";
    const left = lowering.condition(expression.left);
    const right = lowering.guards.within(
      lowering.guards.from(expression.left, expression.operator === "&&"),
      () => lowering.condition(expression.right),
    );
    return pyBinary(operator, left, right);
  }
  const number = expression.type.kinds.includes("number") && isInt(lowering.num(expression));
  return truthOf(lowering, lowering.expression(expression), expression, number);
};

const truthOf = (
  lowering: LoweringState,
  value: PyExpression,
  { type, at }: Expression,
  isInteger: boolean,
): PyExpression => {
  const truth = truthTest(value, type, isInteger);
  return (
    truth ??
    lowering.refuseAny(
      { type, at },
      "{type} as a condition",
      'a comparison: `!== undefined`, `!== ""`, `!== 0`',
    )
  );
};

/** The truth test for a value; undefined if its type mixes kinds that need different tests. */
export const truthTest = (
  value: PyExpression,
  type: ValueType,
  isInteger: boolean,
): PyExpression | undefined => {
  const { kinds } = type;
  if (kinds.every((kind) => plain.has(kind))) return value;
  if (kinds.every((kind) => plain.has(kind) || kind === "number"))
    return isInteger ? value : pyCall("truthy", value);
  // The value is evaluated even if its type is always truthy, for its effects and because it may be missing after all.
  if (kinds.every((kind) => alwaysTrue.has(kind))) return missingTest(value, type, false);
  const isTested = !isMissing(type) && kinds.every((kind) => kind === "boolean" || alwaysTrue.has(kind));
  return isTested ? pyBinary("is not", value, pyName("False")) : undefined;
};

const plain: ReadonlySet<Kind> = new Set(["string", "boolean", "bigint"]);
const alwaysTrue: ReadonlySet<Kind> = new Set([
  "array",
  "typed",
  "map",
  "set",
  "record",
  "match",
  "error",
  "function",
  "regexp",
]);
