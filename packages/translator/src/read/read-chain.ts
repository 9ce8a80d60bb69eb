import { ts } from "ts-morph";
import type { Expression, Item } from "../ir/code.ts";
import { isMissing, kindOf, present, typeOfKind, type ValueType } from "../ir/value-type.ts";
import type { Scope, Variable } from "../ir/variable.ts";
import { matchAsList } from "./match-as-list.ts";
import { constantFlags } from "./read-constant-pattern.ts";
import type { Reader } from "./reader.ts";

export type CallOrAccess = ts.PropertyAccessExpression | ts.ElementAccessExpression | ts.CallExpression;

export const isCallOrAccess = (node: ts.Node): node is CallOrAccess =>
  ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) || ts.isCallExpression(node);

/** `a.b`, `a[b]`, `a(b)` and chains of them; `?.` ends the whole chain if its left side is missing. */
export const readChain = (reader: Reader, outermost: CallOrAccess, scope: Scope): Expression => {
  const links: CallOrAccess[] = [];
  let base: ts.Expression = outermost;
  while (isCallOrAccess(base) && (base === outermost || isLinked(base))) {
    links.unshift(base);
    base = base.expression;
  }
  const [first] = links;
  const member = first && reader.enumMember(first);
  if (member !== undefined) return readLinks(reader, links, 1, member, scope);
  if (first !== undefined && ts.isPropertyAccessExpression(first)) {
    const imported = reader.member(first);
    if (imported !== undefined) return readLinks(reader, links, 1, imported, scope);
  }
  return readLinks(reader, links, 0, reader.expression(base, scope), scope);
};

/** Whether the next link belongs to the same chain: the call of a method, or anything after a `?.`. */
const isLinked = (node: CallOrAccess): boolean => {
  const parent = node.parent;
  return ts.isOptionalChain(parent) || (ts.isCallExpression(parent) && parent.expression === node);
};

const readLinks = (
  reader: Reader,
  links: readonly CallOrAccess[],
  from: number,
  object: Expression,
  scope: Scope,
): Expression => {
  const link = links[from];
  if (link === undefined) return object;
  if (link.questionDotToken !== undefined && isMissing(object.type)) {
    const held: Variable = { name: "t_", kind: "temporary", scope, type: present(object.type) };
    const inner: Expression = { kind: "variable", variable: held, type: held.type, at: object.at };
    const rest = readPlain(reader, links, from, inner, scope);
    return {
      kind: "chain",
      object,
      held,
      link: rest,
      type: reader.typeOf(links.at(-1) ?? link),
      at: object.at,
    };
  }
  return readPlain(reader, links, from, object, scope);
};

const readPlain = (
  reader: Reader,
  links: readonly CallOrAccess[],
  from: number,
  object: Expression,
  scope: Scope,
): Expression => {
  const link = links[from];
  const next = links[from + 1];
  if (link === undefined) return object;
  const place = { type: reader.typeOf(link), at: reader.at(link) };
  if (ts.isPropertyAccessExpression(link)) {
    if (next !== undefined && ts.isCallExpression(next)) {
      const method = readMethod(reader, link, next, object, scope);
      if (method !== undefined) return readLinks(reader, links, from + 2, method, scope);
    }
    return readLinks(reader, links, from + 1, readProperty(reader, link, object), scope);
  }
  if (ts.isElementAccessExpression(link)) {
    const index = reader.expression(link.argumentExpression, scope);
    const isNamed = kindOf(object.type) === "record" && kindOf(index.type) === "string";
    const named = isNamed ? { named: reader.namedRead(link, link.expression) } : {};
    // After `u[9] = 1`, TypeScript takes `u[9]` for a number, but a typed array does not grow.
    const isTyped = kindOf(object.type) === "typed" && !place.type.undefined;
    const asserted = isTyped ? { asserted: true as const } : {};
    const element: Expression = { kind: "element", object, index, ...named, ...asserted, ...place };
    return readLinks(reader, links, from + 1, element, scope);
  }
  const args = readArguments(reader, link, scope);
  const called: Expression =
    object.kind === "refused"
      ? object
      : object.kind === "builtin"
        ? {
            kind: "invocation",
            row: object.name === "Array" ? "new Array" : object.name,
            receiver: undefined,
            args,
            ...place,
          }
        : { kind: "call", callee: object, args, ...place };
  return readLinks(reader, links, from + 1, called, scope);
};

/** `Object.assign({ … }, a, b)` equals `{ …, ...a, ...b }`; any other target would be changed. */
const assigned = (
  changed: Expression,
  given: readonly Item[],
  place: Pick<Expression, "type" | "at">,
): Expression =>
  changed.kind === "record" && given.every(({ spread }) => !spread)
    ? {
        kind: "record",
        entries: [...changed.entries, ...given.map(({ value }) => ({ spread: value }))],
        ...place,
      }
    : { kind: "invocation", row: "record.assign", receiver: changed, args: given, ...place };

/** A call of a JavaScript method; undefined if a property of a record is called. */
const readMethod = (
  reader: Reader,
  link: ts.PropertyAccessExpression,
  call: ts.CallExpression,
  object: Expression,
  scope: Scope,
): Expression | undefined => {
  const place = { type: reader.typeOf(call), at: reader.at(link.name) };
  if (object.kind === "refused") {
    readArguments(reader, call, scope);
    return object;
  }
  if (isNamespace(object)) {
    const row = `${object.name}.${link.name.text}`;
    const [changed, ...given] = readArguments(reader, call, scope);
    const [power] = given;
    if (row === "Math.pow" && changed !== undefined && power !== undefined && call.arguments.length === 2)
      return { kind: "binary", operator: "**", left: changed.value, right: power.value, ...place };
    if (row === "Object.assign" && changed !== undefined) return assigned(changed.value, given, place);
    return {
      kind: "invocation",
      row,
      receiver: undefined,
      args: changed === undefined ? [] : [changed, ...given],
      ...place,
    };
  }
  const kind = kindOf(object.type);
  if (kind === "match") return readMethod(reader, link, call, matchAsList(object), scope);
  if (kind === "record" && object.type.fields?.has(link.name.text) === true) return undefined;
  const args = readArguments(reader, call, scope);
  if (kind === "unknown")
    return reader.refuse(
      link,
      "function/any",
      `\`.${link.name.text}()\` of something of type \`${object.type.text}\``,
      undefined,
      { of: object.type },
    );
  if (kind === "mixed")
    return reader.refuse(link, "function/mixed-kinds", `\`.${link.name.text}()\` of \`${object.type.text}\``);
  if (kind === "string" && isMatchAtOnce(reader, call))
    return { kind: "invocation", row: "string.match", receiver: object, args, ...place, type: textsOrNull };
  const row = `${kind}.${link.name.text}`;
  return { kind: "invocation", row, receiver: object, args, ...place };
};

/** The type of `s.match(/x/g)`, for which TypeScript declares the type of a match. */
export const textsOrNull: ValueType = typeOfKind("array", {
  element: typeOfKind("string"),
  null: true,
  text: "string[] | null",
});

/** Whether a call is `s.match(pattern)` with a pattern literal that has the flag `g`. */
export const isMatchAtOnce = (reader: Reader, node: ts.Node | undefined): boolean => {
  if (node === undefined || !ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression))
    return false;
  const [pattern] = node.arguments;
  if (node.expression.name.text !== "match" || pattern === undefined) return false;
  const declared = ts.isIdentifier(pattern) ? reader.declarationOf(pattern) : undefined;
  const literal =
    declared !== undefined && ts.isVariableDeclaration(declared) ? declared.initializer : pattern;
  return literal !== undefined && constantFlags(reader, literal)?.includes("g") === true;
};

/** Whether the object is a built-in such as `Math`, rather than a constant such as `Math.PI`. */
const isNamespace = (object: Expression): object is Expression & { readonly kind: "builtin" } =>
  object.kind === "builtin" && kindOf(object.type) !== "number";

const readProperty = (reader: Reader, link: ts.PropertyAccessExpression, object: Expression): Expression => {
  const place = { type: reader.typeOf(link), at: reader.at(link.name) };
  if (object.kind === "refused") return object;
  if (isNamespace(object)) return { kind: "builtin", name: `${object.name}.${link.name.text}`, ...place };
  if (kindOf(object.type) === "unknown")
    return reader.refuse(
      link,
      "function/any",
      `\`.${link.name.text}\` of something of type \`${object.type.text}\``,
      undefined,
      { of: object.type },
    );
  return { kind: "property", object, name: link.name.text, ...place };
};

export const readArguments = (
  reader: Reader,
  call: ts.CallExpression | ts.NewExpression,
  scope: Scope,
): readonly Item[] =>
  (call.arguments ?? []).map((argument) =>
    ts.isSpreadElement(argument)
      ? { spread: true, value: reader.expression(argument.expression, scope) }
      : { spread: false, value: reader.expression(argument, scope) },
  );
