import type { Chain, Expression } from "../../ir/code.ts";
import { substitute } from "../../ir/substitute.ts";
import { isMissing, kindOf } from "../../ir/value-type.ts";
import {
  isSimple,
  pyBinary,
  pyCall,
  pyIf,
  pyInt,
  pyMethod,
  pyName,
  pySubscript,
  pyText,
} from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import { mapKey } from "../../builtins/map-key.ts";
import { allMatches } from "../../builtins/string-patterns.ts";
import { truthTest } from "./lower-truth.ts";
import { missingTest } from "./missing.ts";
import type { LoweringState } from "../lowering-state.ts";

type Logical = Expression & { readonly kind: "logical" };

export const lowerConditional = (
  lowering: LoweringState,
  expression: Expression & { readonly kind: "conditional" },
): PyExpression => {
  const { guards } = lowering;
  const test = lowering.condition(expression.test);
  const whenTrue = guards.within(guards.from(expression.test, true), () =>
    lowering.expression(expression.whenTrue),
  );
  if (test.kind === "name" && test.id === "True") return whenTrue;
  const otherwise = guards.within(guards.from(expression.test, false), () =>
    lowering.expression(expression.otherwise),
  );
  return pyIf(test, whenTrue, otherwise);
};

/** The value of `&&`, `||` and `??`: one of the operands. */
export const lowerLogical = (lowering: LoweringState, expression: Logical): PyExpression => {
  const { operator, left, right } = expression;
  const texts = operator === "&&" ? undefined : allMatches(lowering, left, right);
  if (texts !== undefined) return texts;
  if (operator === "??") return lowerNullish(lowering, expression);
  const value = lowering.expression(left);
  const later = (): PyExpression =>
    lowering.guards.within(lowering.guards.from(left, operator === "&&"), () => lowering.expression(right));
  const { kinds } = left.type;
  const isInteger = kinds.includes("number") && isInt(lowering.num(left));
  if (
    kinds.every(
      (kind) =>
        kind === "string" || kind === "boolean" || kind === "bigint" || (kind === "number" && isInteger),
    )
  )
    return pyBinary(operator === "&&" ? "and" : "or", value, later());
  return lowering.hold(value, left.type, (first, again) => {
    const test = truthTest(first, left.type, isInteger);
    if (test === undefined)
      return lowering.refuseAny(left, `\`${operator}\` of {type}`, "`??`, or a comparison");
    return operator === "&&" ? pyIf(test, later(), again) : pyIf(test, again, later());
  });
};

const lowerNullish = (lowering: LoweringState, { left, right }: Logical): PyExpression => {
  const type = isMissing(left.type) ? left.type : { ...left.type, undefined: true }; // The author expects a missing value.
  if (!left.type.null && isConstant(right)) {
    const given = withFallback(lowering, left, right);
    if (given !== undefined) return given;
  }
  const chained = left.kind === "chain" ? chainOr(lowering, left, right) : undefined;
  if (chained !== undefined) return chained;
  const value = lowering.expression(left);
  return lowering.hold(value, type, (first, again) =>
    pyIf(missingTest(first, type, false), again, lowering.expression(right)),
  );
};

/** Whether the expression can be evaluated even if its value is not needed. */
const isConstant = (expression: Expression): boolean =>
  expression.kind === "text" ||
  expression.kind === "number" ||
  expression.kind === "bigint" ||
  expression.kind === "constant" ||
  expression.kind === "variable" ||
  (expression.kind === "list" && expression.items.length === 0) ||
  (expression.kind === "unary" && expression.operator === "-" && isConstant(expression.operand));

/** `map.get(k) ?? d` and `a[i] ?? d` if no stored value can itself be undefined. */
const withFallback = (
  lowering: LoweringState,
  left: Expression,
  right: Expression,
): PyExpression | undefined => {
  if (left.kind === "invocation" && left.row === "map.get" && left.receiver !== undefined) {
    const [key] = left.args;
    if (key === undefined || left.receiver.type.element?.undefined !== false) return undefined;
    return pyMethod(
      lowering.expression(left.receiver),
      "get",
      mapKey(lowering, key.value, left.receiver.type),
      lowering.expression(right),
    );
  }
  if (left.kind !== "element") return undefined;
  const { object, index } = left;
  const kind = kindOf(object.type);
  const holdsAll =
    (kind === "array" || kind === "typed") &&
    object.type.element?.undefined === false &&
    object.type.items === undefined;
  if (holdsAll || kind === "string")
    return lowering.isProven(object, index)
      ? lowering.expression(left)
      : elementOr(lowering, object, index, lowering.expression(right));
  if (kind === "record" && kindOf(index.type) === "number" && object.type.index?.undefined === false)
    return pyMethod(lowering.expression(object), "get", lowering.text(index), lowering.expression(right));
  return undefined;
};

const elementOr = (
  lowering: LoweringState,
  object: Expression,
  index: Expression,
  right: PyExpression,
): PyExpression => {
  const [list, at] = [lowering.expression(object), lowering.expression(index)];
  const num = lowering.num(index);
  if (!isInt(num) || !isSimple(list)) return pyCall("at", list, at, right);
  const size = pyCall("len", list);
  return lowering.hold(at, index.type, (first, again) =>
    pyIf(
      num.low >= 0
        ? pyBinary("<", first, size)
        : { kind: "between", low: pyInt(0), value: first, high: size },
      pySubscript(list, again),
      right,
    ),
  );
};

/** `a?.b ?? c` if `b` is present whenever `a` is. */
const chainOr = (
  lowering: LoweringState,
  { object, held, link }: Chain,
  right: Expression,
): PyExpression | undefined => {
  if (link.kind !== "property" || link.object.kind !== "variable" || link.object.variable !== held)
    return undefined;
  const field = held.type.fields?.get(link.name);
  if (field === undefined || field.optional || isMissing(field.type)) return undefined;
  return lowering.hold(lowering.expression(object), object.type, (first, again) =>
    pyIf(
      missingTest(first, object.type, false),
      pySubscript(again, pyText(link.name)),
      lowering.expression(right),
    ),
  );
};

/** `a?.b`: undefined if `a` is missing. */
export const lowerChain = (lowering: LoweringState, { object, held, link }: Chain): PyExpression => {
  const value = lowering.expression(object);
  if (isSimple(value)) {
    return pyIf(
      missingTest(value, object.type, true),
      pyName("undefined"),
      lowering.expression(substitute(link, held, object)),
    );
  }
  return lowering.hold(value, object.type, (first, again) => {
    const kept = again.kind === "variable" ? again.variable : held;
    lowering.origins.name(kept, object);
    return pyIf(
      missingTest(first, object.type, true),
      pyName("undefined"),
      lowering.expression(
        substitute(link, held, { ...object, kind: "variable", variable: kept, type: held.type }),
      ),
    );
  });
};
