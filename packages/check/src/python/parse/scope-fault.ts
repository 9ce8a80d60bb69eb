import type { SyntaxNode } from "@lezer/common";
import { childrenOf } from "./tree-access.ts";

/** Parameters between commas. */
type Parameters = readonly (readonly SyntaxNode[])[];

/**
 * The first parameter that CPython refuses: a repeated name, a parameter without a default after one with a default,
 * one after `**rest`, a bare `*` at the end.
 */
export const parameterFault = (parameters: Parameters, text: string): number | undefined => {
  const names = new Set<string>();
  let [defaults, star, rest] = [false, false, false];
  let bare: SyntaxNode | undefined;
  for (const group of parameters) {
    const [first] = group.filter(({ name }) => name !== "(" && name !== ")");
    if (first === undefined) continue;
    const name = nameOf(group, text);
    const hasDefault = group.some((node) => node.name === "AssignOp");
    if (rest || (name !== undefined && names.has(name))) return first.from;
    if (name !== undefined) names.add(name);
    if (first.name === "*") {
      if (star) return first.from;
      star = true;
      bare = name === undefined ? first : undefined;
    } else if (first.name === "**") {
      if (bare !== undefined) return bare.from;
      rest = true;
    } else if (name !== undefined) {
      bare = undefined;
      if (defaults && !hasDefault && !star) return first.from;
      defaults ||= hasDefault;
    }
  }
  return bare?.from;
};

const nameOf = (group: readonly SyntaxNode[], text: string): string | undefined => {
  const node = group.find(({ name }) => name === "VariableName");
  return node === undefined ? undefined : text.slice(node.from, node.to);
};

/** The first `global` or `nonlocal` statement of a body whose name is a parameter or was used before. */
export const scopeFault = (body: SyntaxNode, parameters: Parameters, text: string): number | undefined => {
  const used = new Set(parameters.flatMap((group) => nameOf(group, text) ?? []));
  const visit = (node: SyntaxNode): number | undefined => {
    if (node.name === "ScopeStatement")
      return childrenOf(node).find(
        ({ name, from, to }) => name === "VariableName" && used.has(text.slice(from, to)),
      )?.from;
    if (isElsewhere(node)) return undefined;
    if (node.name === "VariableName" && !isKeywordArgument(node)) used.add(text.slice(node.from, node.to));
    for (const child of childrenOf(node)) {
      if (node.name === "MatchClause" && child.name !== "Body" && child.name !== "Guard") continue;
      const fault = visit(child);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return visit(body);
};

/** Nested scopes, types, imports and a `try` with an `else` are excluded, because CPython visits them in a different order. */
const isElsewhere = (node: SyntaxNode): boolean =>
  /^(?:FunctionDefinition|ClassDefinition|LambdaExpression|TypeDef|TypeParamList|TypeDefinition|ImportStatement)$/.test(
    node.name,
  ) ||
  node.name.endsWith("ComprehensionExpression") ||
  (node.name === "ArgList" && childrenOf(node).some(({ name }) => name === "for")) ||
  (node.name === "TryStatement" && childrenOf(node).some(({ name }) => name === "else"));

const isKeywordArgument = (node: SyntaxNode): boolean =>
  node.parent?.name === "ArgList" && node.nextSibling?.name === "AssignOp";
