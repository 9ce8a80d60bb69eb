import { builtins, properties } from "../../builtins/table.ts";
import type { Entry, Expression } from "../../ir/code.ts";
import {
  pyAttribute,
  pyCall,
  pyFloat,
  pyInt,
  pyList,
  pyName,
  pyNot,
  pyStar,
  pyText,
  pyVariable,
} from "../../python/build.ts";
import type { PyEntry, PyExpression } from "../../python/syntax.ts";
import { isInt } from "../../ranges/num.ts";
import { lowerCallable } from "./callback.ts";
import { lowerElement, lowerProperty } from "./lower-access.ts";
import { lowerBinary } from "../operators/lower-binary.ts";
import { lowerCall } from "./lower-call.ts";
import { lowerChain, lowerConditional, lowerLogical } from "../operators/lower-choice.ts";
import { lowerValueOfEffect } from "./lower-effect.ts";
import { lowerInt32 } from "../operators/int32.ts";
import { lowerInvocation } from "./lower-invocation.ts";
import { lowerFormat } from "./lower-text.ts";
import type { LoweringState } from "../lowering-state.ts";
import { operand as computed } from "../operators/operand.ts";
import { lowerTypeName, lowerTypeof } from "../operators/lower-typeof.ts";

/** The expression as a value in Python. */
export const lowerExpression = (lowering: LoweringState, expression: Expression): PyExpression =>
  (lowerers[expression.kind] as Lower<Expression>)(lowering, expression);

type Lower<E extends Expression> = (lowering: LoweringState, expression: E) => PyExpression;

const lowerList = (
  lowering: LoweringState,
  { items }: Expression & { readonly kind: "list" },
): PyExpression => {
  const lowered = items.map(({ spread, value }) =>
    spread ? pyStar(lowering.iterable(value)) : lowering.expression(value),
  );
  const [only] = lowered;
  const isCopyOfNew =
    lowered.length === 1 &&
    only?.kind === "star" &&
    only.value.kind === "comprehension" &&
    only.value.form === "list";
  return isCopyOfNew ? only.value : pyList(lowered);
};

const lowerNumber = (
  lowering: LoweringState,
  expression: Expression & { readonly kind: "number" },
): PyExpression => {
  const { value } = expression;
  if (value === Infinity) return pyName("INF");
  return isInt(lowering.num(expression)) ? pyInt(value) : pyFloat(value);
};

const lowerBuiltin = (
  lowering: LoweringState,
  expression: Expression & { readonly kind: "builtin" },
): PyExpression => {
  const row = properties[expression.name];
  if (row !== undefined) return row.lower(undefined);
  const method = builtins[expression.name];
  return lowering.refuse(
    expression.at,
    "function/built-in",
    `\`${expression.name}\`${method === undefined ? " is not translated" : " as a value"}`,
    method === undefined ? undefined : "a function of your own that calls it with the same arguments",
  );
};

const lowerEntry = (lowering: LoweringState, entry: Entry): PyEntry => {
  if ("spread" in entry) {
    const { kinds, undefined: mayMiss, null: mayBeNull } = entry.spread.type;
    if (kinds.some((kind) => kind !== "record"))
      return {
        spread: lowering.refuseKind(entry.spread, "the spread of {type} in a record", "a record"),
      };
    const value = lowering.expression(entry.spread);
    const spread: PyExpression =
      mayMiss || mayBeNull || entry.spread.claimed === true
        ? { kind: "binary", operator: "or", left: value, right: { kind: "dict", entries: [] } }
        : value;
    return { spread };
  }
  const key = typeof entry.key === "string" ? pyText(entry.key) : lowering.text(entry.key);
  return { key, value: lowering.expression(entry.value) };
};

const lowerUnary = (
  lowering: LoweringState,
  expression: Expression & { readonly kind: "unary" },
): PyExpression => {
  const { operator, operand, at } = expression;
  const [kind] = operand.type.kinds;
  if (operator === "!")
    return operand.kind === "unary" && operand.operator === "!"
      ? pyCall("bool", lowering.condition(operand.operand))
      : pyNot(lowering.condition(operand));
  if (operator === "void") return lowering.refuse(at, "function/syntax", "`void`", "`undefined`");
  if (operand.type.kinds.length !== 1 || operand.type.undefined || operand.type.null)
    return lowering.refuse(at, "function/mixed-kinds", `\`${operator}\` of \`${operand.type.text}\``);
  if (operator === "+") {
    if (kind === "string") return pyCall("to_number", lowering.expression(operand));
    if (kind === "boolean") return pyCall("int", lowering.expression(operand));
    if (kind === "number") return computed(lowering, operand);
    return lowering.refuse(at, "function/mixed-kinds", `\`+\` of \`${operand.type.text}\``, "`Number(x)`");
  }
  if (kind === "bigint") return { kind: "unary", operator, operand: lowering.expression(operand) };
  if (kind !== "number")
    return lowering.refuse(
      at,
      "function/mixed-kinds",
      `\`${operator}\` of \`${operand.type.text}\``,
      "`Number(x)`",
    );
  if (operator === "~") return { kind: "unary", operator: "~", operand: lowerInt32(lowering, operand) };
  const num = lowering.num(expression);
  if (operand.kind === "number" && isInt(num)) return pyInt(-operand.value);
  return {
    kind: "unary",
    operator: "-",
    operand: isInt(num) ? lowering.expression(operand) : lowering.float(operand),
  };
};

/** `x instanceof Error`: only errors are thrown and caught. */
const lowerInstance = (
  lowering: LoweringState,
  expression: Expression & { readonly kind: "instance" },
): PyExpression => {
  const { value, of, at } = expression;
  const caught = value.kind === "variable" && value.variable.kind === "caught";
  if (of === "Error" && caught) return pyName("True");
  if (/^(?:Range|Type|Syntax)Error$/.test(of) && caught)
    return {
      kind: "binary",
      operator: "==",
      left: pyAttribute(lowering.expression(value), "name"),
      right: pyText(of),
    };
  if (of === "Map" || of === "Set" || of === "Array")
    return lowering.refuse(
      at,
      "function/syntax",
      `\`instanceof ${of}\``,
      "`Array.isArray`, or a property that distinguishes them",
    );
  return lowering.refuse(at, "function/syntax", `\`instanceof ${of}\``, "a property that distinguishes them");
};

const pyConstants = { true: "True", false: "False", null: "None", undefined: "undefined" };

const lowerers: {
  readonly [K in Expression["kind"]]: Lower<Expression & { readonly kind: K }>;
} = {
  text: (_, { value }) => pyText(value),
  number: lowerNumber,
  bigint: (_, { digits }) => pyInt(BigInt(digits)),
  constant: (_, { value }) => pyName(pyConstants[value]),
  variable: (_, { variable }) => pyVariable(variable),
  builtin: lowerBuiltin,
  template: (lowering, { parts }) => lowerFormat(lowering, parts),
  list: lowerList,
  record: (lowering, { entries }) => ({
    kind: "dict",
    entries: entries.map((entry) => lowerEntry(lowering, entry)),
  }),
  unary: lowerUnary,
  binary: lowerBinary,
  logical: lowerLogical,
  conditional: lowerConditional,
  chain: lowerChain,
  typeof: lowerTypeof,
  "type name": (lowering, { value }) => lowerTypeName(lowering, value),
  effect: lowerValueOfEffect,
  instance: lowerInstance,
  property: lowerProperty,
  element: lowerElement,
  call: lowerCall,
  invocation: lowerInvocation,
  lambda: (lowering, lambda) => lowerCallable(lowering, lambda, true),
  regexp: (lowering, regexp) => lowering.patterns.value(lowering, regexp),
  refused: () => pyName("undefined"),
};
