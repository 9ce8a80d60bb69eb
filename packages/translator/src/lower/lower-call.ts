import type { Expression, Item } from "../ir/code.ts";
import { isMissing, kindOf } from "../ir/value-type.ts";
import { pyCallWith, pyStar } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import type { LoweringState } from "./lowering-state.ts";

/** A call of a function of the user's. */
export const lowerCall = (
  lowering: LoweringState,
  call: Expression & { readonly kind: "call" },
): PyExpression => {
  const { callee, at } = call;
  if (callee.kind === "refused") return lowering.expression(callee);
  if (kindOf(callee.type) !== "function" || isMissing(callee.type))
    return lowering.refuse(
      at,
      kindOf(callee.type) === "unknown" ? "function/any" : "function/mixed-kinds",
      `a call of \`${callee.type.text}\``,
    );
  for (const [index, { value }] of call.args.entries()) {
    const wanted = callee.type.parameters?.[index]?.parameters?.length;
    const given = value.type.parameters?.length;
    if (value.kind !== "lambda" && wanted !== undefined && given !== undefined && given < wanted)
      lowering.refuse(
        value.at,
        "function/syntax",
        "a function of fewer parameters than it is called with",
        `\`(…) => f(…)\` with all ${wanted} parameters`,
      );
  }
  return pyCallWith(lowering.expression(callee), lowerArguments(lowering, call.args));
};

export const lowerArguments = (lowering: LoweringState, args: readonly Item[]): readonly PyExpression[] =>
  args.map(({ spread, value }) => (spread ? pyStar(lowering.iterable(value)) : lowering.expression(value)));
