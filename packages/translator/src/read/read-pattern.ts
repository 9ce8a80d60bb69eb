import { ts } from "ts-morph";
import type { Pattern, PatternPart } from "../ir/code.ts";
import { type ValueType, unknown } from "../ir/value-type.ts";
import type { Scope, Variable } from "../ir/variable.ts";
import { readKey } from "./read-expression.ts";
import type { Reader } from "./reader.ts";

/** Reads the target of a declaration. */
export const readPattern = (
  reader: Reader,
  node: ts.BindingName,
  scope: Scope,
  kind: Variable["kind"],
): Pattern => {
  const at = reader.at(node);
  if (ts.isIdentifier(node)) return { kind: "bind", variable: reader.declare(node, scope, kind), at };
  const type = reader.typeOf(node);
  const part = (element: ts.BindingElement, name: string | number): PatternPart => ({
    fallback: element.initializer && reader.expression(element.initializer, scope),
    type: partType(type, name),
    pattern: reader.pattern(element.name, scope, kind),
  });
  const rest = node.elements.find((element) => ts.isBindingElement(element) && element.dotDotDotToken);
  const restPattern =
    rest !== undefined && ts.isBindingElement(rest) ? reader.pattern(rest.name, scope, kind) : undefined;
  if (ts.isArrayBindingPattern(node))
    return {
      kind: "items",
      items: node.elements
        .filter((element) => element !== rest)
        .map((element, index) => (ts.isBindingElement(element) ? part(element, index) : undefined)),
      rest: restPattern,
      type,
      at,
    };
  return {
    kind: "fields",
    fields: node.elements
      .filter((element) => element !== rest)
      .map((element) => {
        const name = fieldName(reader, element, scope);
        return { name, ...part(element, name) };
      }),
    rest: restPattern,
    type,
    at,
  };
};

const fieldName = (reader: Reader, element: ts.BindingElement, scope: Scope): string => {
  if (element.propertyName === undefined) return ts.isIdentifier(element.name) ? element.name.text : "";
  const name = readKey(reader, element.propertyName, scope);
  if (typeof name === "string") return name;
  reader.refuse(element, "function/syntax", "a computed name in a pattern", "`o[k]`");
  return "";
};

/** The type of a part of a pattern before its fallback is applied. */
const partType = (type: ValueType, name: string | number): ValueType => {
  if (typeof name === "number") {
    const item = type.items?.[name];
    return item ?? (type.element === undefined ? unknown : { ...type.element, undefined: true });
  }
  const field = type.fields?.get(name);
  if (field !== undefined) return field.optional ? { ...field.type, undefined: true } : field.type;
  return type.index === undefined ? unknown : { ...type.index, undefined: true };
};

/** Reads the target of an assignment such as `[a, b] = …`. */
export const readTarget = (reader: Reader, node: ts.Expression, scope: Scope): Pattern => {
  const at = reader.at(node);
  const target = ts.isParenthesizedExpression(node) ? node.expression : node;
  const type = reader.typeOf(target);
  if (ts.isArrayLiteralExpression(target)) {
    const part = (element: ts.Expression, index: number): PatternPart | undefined => {
      if (ts.isOmittedExpression(element)) return undefined;
      const split = splitFallback(element);
      return {
        pattern: readTarget(reader, split.target, scope),
        fallback: split.fallback && reader.expression(split.fallback, scope),
        type: partType(type, index),
      };
    };
    const rest = target.elements.find(ts.isSpreadElement);
    return {
      kind: "items",
      items: target.elements.filter((element) => element !== rest).map(part),
      rest: rest && readTarget(reader, rest.expression, scope),
      type,
      at,
    };
  }
  if (ts.isObjectLiteralExpression(target)) {
    reader.refuse(node, "function/syntax", "an assignment to an object pattern", "`const { … } = …`");
    return { kind: "place", target: { kind: "refused", type, at }, at };
  }
  return { kind: "place", target: reader.expression(target, scope), at };
};

const splitFallback = (
  element: ts.Expression,
): { readonly target: ts.Expression; readonly fallback: ts.Expression | undefined } =>
  ts.isBinaryExpression(element) && element.operatorToken.kind === ts.SyntaxKind.EqualsToken
    ? { target: element.left, fallback: element.right }
    : { target: element, fallback: undefined };
