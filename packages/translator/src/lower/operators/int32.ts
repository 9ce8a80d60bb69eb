import type { Expression } from "../../ir/code.ts";
import { pyCall } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import type { Lowering } from "../lowering.ts";
import { operand } from "./operand.ts";

/** A number as a signed 32-bit integer. */
export const lowerInt32 = (lowering: Lowering, expression: Expression): PyExpression => {
  const num = lowering.num(expression);
  const value = operand(lowering, expression);
  return isInt(num) && num.low >= -(2 ** 31) && num.high < 2 ** 31 ? value : pyCall("to_int32", value);
};
