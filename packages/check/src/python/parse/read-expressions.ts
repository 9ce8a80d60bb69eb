import type { SyntaxNode } from "@lezer/common";
import { invariant } from "@tritype/core";
import { readText } from "./read-text.ts";
import type { Argument, Clause, DictEntry, Expression, Parameter } from "../syntax.ts";
import { childNamed, childrenOf, isComma, opaque, splitAt } from "./tree-access.ts";

type Reader = (node: SyntaxNode, text: string) => Expression;

/** One expression. */
export const readExpression: Reader = (node, text) =>
  Object.hasOwn(readers, node.name) ? (readers[node.name] as Reader)(node, text) : readOther(node, text);

/** Expressions separated by commas: a single one is returned unchanged, several become a tuple. */
export const readTuple = (nodes: readonly SyntaxNode[], text: string): Expression => {
  const items = readItems(nodes, text);
  const [first] = items;
  invariant(first !== undefined, "an expression");
  const last = items.at(-1) ?? first;
  return items.length === 1 && !nodes.some(isComma)
    ? first
    : { kind: "sequence", shape: "tuple", items, from: first.from, to: last.to };
};

/** Expressions between commas; `*x` becomes an "other". */
export const readItems = (nodes: readonly SyntaxNode[], text: string): readonly Expression[] =>
  splitAt(nodes, isComma).flatMap((group) => {
    const values = group.filter(isExpression);
    const [value] = values;
    if (value === undefined) return [];
    const [star] = group;
    return star !== undefined && (star.name === "*" || star.name === "**")
      ? [opaque(star, [readExpression(value, text)])]
      : values.map((node) => readExpression(node, text));
  });

/** Names in a parameter list, with their annotations and defaults. */
export const readParameters = (list: SyntaxNode | undefined, text: string): readonly Parameter[] =>
  list === undefined
    ? []
    : splitAt(childrenOf(list), isComma).flatMap((group) => {
        const name = group.find((node) => node.name === "VariableName");
        if (name === undefined) return [];
        const assign = group.findIndex((node) => node.name === "AssignOp");
        const value = assign < 0 ? undefined : group[assign + 1];
        return [
          {
            name: text.slice(name.from, name.to),
            annotation: readAnnotation(group, text),
            value: value === undefined ? undefined : readExpression(value, text),
          },
        ];
      });

/** The annotation among these nodes. */
export const readAnnotation = (nodes: readonly SyntaxNode[], text: string): Expression | undefined => {
  const annotation = nodes.find(({ name }) => name === "TypeDef");
  const value = annotation && childrenOf(annotation).find(isExpression);
  return value && readExpression(value, text);
};

export const readArguments = (list: SyntaxNode, text: string): readonly Argument[] => {
  const inner = childrenOf(list).filter(({ name }) => name !== "(" && name !== ")");
  if (inner.some(({ name }) => name === "for" || name === "async"))
    return [{ name: undefined, star: "", value: comprehension(list, inner, text) }];
  return splitAt(inner, isComma).flatMap((group): readonly Argument[] => {
    const [first] = group;
    const value = group.findLast(isExpression);
    if (first === undefined || value === undefined) return [];
    const star = first.name === "*" || first.name === "**" ? first.name : "";
    const assign = group.find(({ name }) => name === "AssignOp");
    if (assign !== undefined && text.slice(assign.from, assign.to) === ":=")
      return [{ name: undefined, star: "", value: namedOf(first, value, text) }];
    return [
      {
        name: assign !== undefined ? text.slice(first.from, first.to) : undefined,
        star,
        value: readExpression(value, text),
      },
    ];
  });
};

/**
 * Whether a node is an expression: in the grammar, the names of expressions begin with a capital letter, and those of tokens do
 * not.
 */
export const isExpression = ({ name }: SyntaxNode): boolean =>
  /^[A-Z]/.test(name) && !/Op$|^(?:Body|TypeDef|TypeParamList|FormatSpec|FormatConversion|Guard)$/.test(name);

const place = ({ from, to }: SyntaxNode) => ({ from, to });

const readName: Reader = (node, text) => ({
  kind: "name",
  name: text.slice(node.from, node.to),
  ...place(node),
});

const readOther: Reader = (node, text) => opaque(node, readItems(childrenOf(node), text));

const readConstant: Reader = (node, text) => {
  const value = text.slice(node.from, node.to);
  return value === "None" || value === "True" || value === "False"
    ? { kind: "constant", value, ...place(node) }
    : { kind: "constant", value: "...", ...place(node) };
};

const readNumber: Reader = (node, text) => ({
  kind: "number",
  value: Number(text.slice(node.from, node.to).replaceAll("_", "")),
  ...place(node),
});

const readMember: Reader = (node, text) => {
  const [object, token, ...rest] = childrenOf(node);
  if (object === undefined || token === undefined) return opaque(node);
  const of = readExpression(object, text);
  const [property] = rest;
  return token.name === "." && property !== undefined
    ? { kind: "attribute", object: of, name: text.slice(property.from, property.to), ...place(node) }
    : { kind: "index", object: of, index: readIndex(rest, text), ...place(node) };
};

const readCall: Reader = (node, text) => {
  const [callee] = childrenOf(node);
  const list = childNamed(node, "ArgList");
  return callee === undefined || list === undefined
    ? opaque(node)
    : {
        kind: "call",
        callee: readExpression(callee, text),
        args: readArguments(list, text),
        ...place(node),
      };
};

const sequence =
  (shape: "list" | "tuple" | "set"): Reader =>
  (node, text) => ({ kind: "sequence", shape, items: readItems(childrenOf(node), text), ...place(node) });

const readDict: Reader = (node, text) => ({
  kind: "dict",
  entries: splitAt(childrenOf(node), isComma).flatMap((group): readonly DictEntry[] => {
    const [key, value] = group.filter(isExpression).map((part) => readExpression(part, text));
    if (key === undefined) return [];
    return value === undefined ? [{ key: undefined, value: key }] : [{ key, value }];
  }),
  ...place(node),
});

const comprehension = (node: SyntaxNode, children: readonly SyntaxNode[], text: string): Expression => {
  const start = children.findIndex(({ name }) => name === "for" || name === "async");
  const clauses: Clause[] = [];
  let rest = children.slice(start);
  while (rest.length > 0) {
    const next = rest.findIndex(
      ({ name }, i) => i > 0 && (name === "for" || name === "if" || name === "async"),
    );
    const clause = next < 0 ? rest : rest.slice(0, next);
    rest = next < 0 ? [] : rest.slice(next);
    const inside = clause.findIndex(({ name }) => name === "in");
    const source = clause.slice(inside + 1).filter(isExpression);
    if (source.length === 0) continue;
    clauses.push({
      target: inside < 0 ? undefined : readTuple(clause.slice(0, inside), text),
      source: readTuple(source, text),
    });
  }
  return {
    kind: "comprehension",
    element: readItems(children.slice(0, start), text),
    clauses,
    ...place(node),
  };
};

const readComprehension: Reader = (node, text) => comprehension(node, childrenOf(node), text);

const readLambda: Reader = (node, text) => {
  const body = childrenOf(node).at(-1);
  return body === undefined
    ? opaque(node)
    : {
        kind: "lambda",
        parameters: readParameters(childNamed(node, "ParamList"), text),
        body: readExpression(body, text),
        ...place(node),
      };
};

const readNamed: Reader = (node, text) => {
  const [target, , value] = childrenOf(node);
  return target === undefined || value === undefined ? opaque(node) : namedOf(target, value, text);
};

const namedOf = (target: SyntaxNode, value: SyntaxNode, text: string): Expression => ({
  kind: "named",
  target: readExpression(target, text),
  value: readExpression(value, text),
  from: target.from,
  to: value.to,
});

const readParenthesized: Reader = (node, text) => {
  const inner = childrenOf(node).find(isExpression);
  return inner === undefined ? opaque(node) : readExpression(inner, text);
};

/**
 * The name of an operator whose right side may not be evaluated: `and`, `or`, and all but the first comparison of `a <
 * b < c`.
 */
export const shortened = "ShortenedExpression";

const readBinary: Reader = (node, text) => ({
  ...opaque(node, readItems(childrenOf(node), text)),
  ...(isShortened(node) ? { what: shortened } : {}),
});

const isShortened = (node: SyntaxNode): boolean => {
  const children = childrenOf(node);
  return (
    children.some(({ name }) => name === "and" || name === "or") ||
    (isComparison(node) && children.some(isComparison))
  );
};

const isComparison = (node: SyntaxNode): boolean =>
  node.name === "BinaryExpression" &&
  childrenOf(node).some(({ name }) => /^(?:CompareOp|in|is|not)$/.test(name));

const readString: Reader = (node, text) => ({
  kind: "text",
  value: readText(node, text),
  parts: replacementsOf(node).flatMap((part) => readItems(childrenOf(part), text)),
  ...place(node),
});

const replacementsOf = (node: SyntaxNode): readonly SyntaxNode[] =>
  childrenOf(node).flatMap((child) =>
    child.name === "FormatReplacement" ? [child, ...replacementsOf(child)] : replacementsOf(child),
  );

const readers: Readonly<Record<string, Reader>> = {
  VariableName: readName,
  // A return type has no node of its own.
  None: readConstant,
  Boolean: readConstant,
  Ellipsis: readConstant,
  Number: readNumber,
  String: readString,
  FormatString: readString,
  ContinuedString: readString,
  MemberExpression: readMember,
  CallExpression: readCall,
  ArrayExpression: sequence("list"),
  TupleExpression: sequence("tuple"),
  SetExpression: sequence("set"),
  DictionaryExpression: readDict,
  ArrayComprehensionExpression: readComprehension,
  SetComprehensionExpression: readComprehension,
  DictionaryComprehensionExpression: readComprehension,
  ComprehensionExpression: readComprehension,
  BinaryExpression: readBinary,
  LambdaExpression: readLambda,
  NamedExpression: readNamed,
  ParenthesizedExpression: readParenthesized,
};

/** A slice becomes one "other". */
const readIndex = (nodes: readonly SyntaxNode[], text: string): readonly Expression[] => {
  const [first] = nodes;
  return first !== undefined && nodes.some(({ name }) => name === ":")
    ? [{ ...opaque(first, readItems(nodes, text)), what: "slice" } as Expression]
    : readItems(nodes, text);
};
