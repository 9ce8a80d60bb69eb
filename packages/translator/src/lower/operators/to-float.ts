import type { Expression } from "../../ir/code.ts";
import { pyCall, pyFloat } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import type { Lowering } from "../lowering.ts";
import { operand } from "./operand.ts";

/** Converts a number to a float, unless it is a float, or a literal that can be written as a float. */
export const toFloat = (lowering: Lowering, expression: Expression): PyExpression => {
  const num = lowering.num(expression);
  if (expression.kind === "number" && Number.isFinite(expression.value)) return pyFloat(expression.value);
  if (isInt(num) && num.low === num.high && expression.kind === "unary") return pyFloat(num.low);
  const value = operand(lowering, expression);
  return num.kind === "float" ? value : pyCall("float", value);
};
