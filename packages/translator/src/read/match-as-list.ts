import { ts } from "ts-morph";
import type { Expression } from "../ir/code.ts";
import { isMissing, kindOf, typeOfKind, type ValueType } from "../ir/value-type.ts";
import type { Reader } from "./reader.ts";

/** Turns a match into the list of its groups, for places where TypeScript accepts it as an array. */
export const matchAsList = (value: Expression): Expression =>
  kindOf(value.type) === "match" && value.kind !== "refused"
    ? {
        kind: "invocation",
        row: "match.list",
        receiver: value,
        args: [],
        type: listOf(value.type),
        at: value.at,
      }
    : value;

const listOf = (type: ValueType): ValueType =>
  typeOfKind("array", {
    element: typeOfKind("string", { undefined: true, text: "string | undefined" }),
    null: type.null,
    undefined: type.undefined,
    text: isMissing(type) ? "string[] | null" : "string[]",
  });

/** The operands of `??`, `||` and `?:`, one of which is an array. */
export const operandsAsLists = (
  type: ValueType,
  operands: readonly [Expression, Expression],
): readonly [Expression, Expression] =>
  kindOf(type) === "array" ? [matchAsList(operands[0]), matchAsList(operands[1])] : operands;

/** Whether the target is declared as an array: a variable, a parameter, a property or a result. */
export const wantsList = (reader: Reader, node: ts.Expression): boolean => {
  const contextual = reader.checker.getContextualType(node);
  const wanted = contextual && reader.checker.getNonNullableType(contextual);
  return wanted !== undefined && reader.checker.isArrayType(wanted);
};
