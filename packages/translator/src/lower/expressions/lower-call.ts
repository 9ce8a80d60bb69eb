import type { Expression, Item } from "../../ir/code.ts";
import { isAlways } from "../../ir/value-type.ts";
import { pyCallWith, pyStar } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import type { LoweringState } from "../lowering-state.ts";

/** A call of a user's function. */
export const lowerCall = (
  lowering: LoweringState,
  call: Expression & { readonly kind: "call" },
): PyExpression => {
  const { callee, at } = call;
  if (callee.kind === "refused") return lowering.expression(callee);
  if (!isAlways(callee.type, "function"))
    return lowering.refuseAny({ type: callee.type, at }, "a call of {type}");
  return pyCallWith(lowering.expression(callee), lowerArguments(lowering, call.args));
};

export const lowerArguments = (lowering: LoweringState, args: readonly Item[]): readonly PyExpression[] =>
  args.map(({ spread, value }) => (spread ? pyStar(lowering.iterable(value)) : lowering.expression(value)));
