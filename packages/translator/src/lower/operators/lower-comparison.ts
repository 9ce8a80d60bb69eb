import type { Binary, Expression } from "../../ir/code.ts";
import { type Kind, isAlways, isMissing, kindOf, mixesNumbers } from "../../ir/value-type.ts";
import { pyBinary, pyCall, pyName, pyText, pyTuple } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { inheritedNames } from "../expressions/inherited-names.ts";
import type { Lowering } from "../lowering.ts";
import { operand } from "./operand.ts";

export const lowerComparison = (lowering: Lowering, expression: Binary): PyExpression => {
  const { operator, at } = expression;
  switch (operator) {
    case "===":
    case "!==":
      return lowerEquality(lowering, expression);
    case "==":
    case "!=":
      return lowerLoose(lowering, expression);
    case "in":
      return lowerIn(lowering, expression);
    case "<":
    case "<=":
    case ">":
    case ">=":
      return lowerOrder(lowering, expression, operator);
    default:
      return lowering.refuse(at, "function/syntax", `the operator \`${operator}\``);
  }
};

const isNothing = (expression: Expression): "None" | "undefined" | undefined => {
  if (expression.kind !== "constant") return undefined;
  return expression.value === "null" ? "None" : expression.value === "undefined" ? "undefined" : undefined;
};

/** `===`: primitive values are compared by value, objects by identity. */
const lowerEquality = (lowering: Lowering, { operator, left, right, at }: Binary): PyExpression => {
  const not = operator === "!==";
  const [a, b] = [lowering.expression(left), lowering.expression(right)];
  if (isNothing(right) !== undefined) return pyBinary(not ? "is not" : "is", a, b);
  if (isNothing(left) !== undefined) return pyBinary(not ? "is not" : "is", b, a);
  const [one, other] = [left.type.kinds, right.type.kinds];
  if ([one, other].some((kinds) => kinds.length > 0 && kinds.every((kind) => byIdentity.has(kind))))
    return pyBinary(not ? "is not" : "is", a, b);
  const both = new Set([...one, ...other]);
  const textOnly = [one, other].some((kinds) => kinds.every((kind) => kind === "string"));
  if (both.has("unknown") && !textOnly) {
    const which = one.includes("unknown") ? left : right;
    return lowering.refuseAny(which, "`===` of something of type {type}");
  }
  if (!textOnly && (mixesNumbers([left.type, right.type]) || [...both].some((kind) => byIdentity.has(kind))))
    return lowering.refuse(
      at,
      "function/mixed-kinds",
      `\`===\` between \`${left.type.text}\` and \`${right.type.text}\`: Python treats some of them as equal`,
    );
  return pyBinary(not ? "!=" : "==", a, b);
};

const byIdentity: ReadonlySet<Kind> = new Set([
  "array",
  "typed",
  "map",
  "set",
  "record",
  "function",
  "error",
  "match",
  "regexp",
  "iterator",
]);

/** `== null` also tests for undefined. Any other `==` converts its operands. */
const lowerLoose = (lowering: Lowering, { operator, left, right, at }: Binary): PyExpression => {
  const value = isNothing(right) === undefined ? (isNothing(left) === undefined ? undefined : right) : left;
  if (value === undefined)
    return lowering.refuse(
      at,
      "function/loose-equality",
      `\`${operator}\` converts its operands`,
      `\`${operator}=\``,
    );
  return pyBinary(
    operator === "!=" ? "not in" : "in",
    lowering.expression(value),
    pyTuple([pyName("None"), pyName("undefined")]),
  );
};

const lowerIn = (lowering: Lowering, { left, right, named, at }: Binary): PyExpression => {
  if (!isAlways(right.type, "record"))
    return lowering.refuse(
      at,
      "function/mixed-kinds",
      `\`in\` of \`${right.type.text}\``,
      "`includes` or `has`",
    );
  if (left.kind === "text" && !inheritedNames.has(left.value))
    return pyBinary("in", pyText(left.value), lowering.expression(right));
  if (!isAlways(left.type, "string") || named === undefined || !named.steady)
    return lowering.refuse(
      at,
      "function/inherited-name",
      "`in` finds inherited names as well",
      "`Object.hasOwn(o, k)`",
    );
  lowering.checksName(named, "reads");
  const object = lowering.expression(right);
  return pyBinary("in", pyCall("own_name", object, lowering.expression(left)), object);
};

const lowerOrder = (
  lowering: Lowering,
  { left, right, at }: Binary,
  operator: "<" | "<=" | ">" | ">=",
): PyExpression => {
  for (const side of [left, right]) {
    if (side.type.kinds.includes("unknown"))
      return lowering.refuseAny(side, `\`${operator}\` of something of type {type}`);
    if (isMissing(side.type))
      return lowering.refuseKind(side, `\`${operator}\` of {type}`, "a check beforehand, or `??`");
  }
  const kinds = [kindOf(left.type), kindOf(right.type)];
  const isNumeric = kinds.every((kind) => kind === "number" || kind === "bigint");
  if (!isNumeric && !kinds.every((kind) => kind === "string"))
    return lowering.refuse(
      at,
      "function/mixed-kinds",
      `\`${operator}\` between \`${left.type.text}\` and \`${right.type.text}\``,
      "two numbers, or two strings: `Number(x)`, `String(x)`",
    );
  return pyBinary(operator, operand(lowering, left), operand(lowering, right));
};
