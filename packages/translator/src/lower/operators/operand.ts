import type { Expression } from "../../ir/code.ts";
import { kindOf } from "../../ir/value-type.ts";
import { pyCall, pyName } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import type { Lowering } from "../lowering.ts";

/** A number in arithmetic or a comparison, where `xs[i]!` beyond the end counts as NaN. */
export const operand = (lowering: Lowering, expression: Expression): PyExpression => {
  if (expression.kind !== "element" || expression.asserted !== true) return lowering.expression(expression);
  const { object, index } = expression;
  const isNumbers =
    (kindOf(object.type) === "array" || kindOf(object.type) === "typed") &&
    kindOf(expression.type) === "number";
  const made = lowering.expression(expression);
  return isNumbers && made.kind === "call" && !lowering.isProven(object, index)
    ? pyCall("at", ...made.args.slice(0, 2).map(({ value }) => value), pyName("NAN"))
    : made;
};
