import type { SyntaxNode, Tree } from "@lezer/common";
import { parameterFault, scopeFault } from "./scope-fault.ts";
import { childrenOf, isComma, splitAt } from "./tree-access.ts";

/**
 * The first position that parses but that CPython refuses to compile: `return` outside a function, an assignment to a call, … Code
 * that only some Python 3 versions refuse is not reported.
 */
export const compileFault = (tree: Tree, text: string): number | undefined => {
  const found: number[] = [];
  const top = { kind: "module", functions: 0, loop: false, lazy: false } as const;
  const late = lateFuture(tree.topNode, text) ?? scopeFault(tree.topNode, [], text);
  if (late !== undefined) found.push(late);
  visit(tree.topNode, top, text, found);
  return found.length === 0 ? undefined : found.reduce((first, next) => Math.min(first, next));
};

/** The parent of a node. */
interface Place {
  readonly kind: "module" | "class" | "function" | "async";
  /** Number of functions around the node. */
  readonly functions: number;
  readonly loop: boolean;
  /** Whether the node is in a comprehension, where `await` has its own rules. */
  readonly lazy: boolean;
}

const visit = (node: SyntaxNode, place: Place, text: string, found: number[]): void => {
  const fault = faultOf(node, place, text);
  if (fault !== undefined) found.push(fault);
  const body = bodyPlace(node, place, text);
  let bodies = 0;
  for (const child of childrenOf(node)) {
    if (child.name === "TypeDef" || child.name === "TypeParamList") continue;
    if (node.name === "MatchClause" && child.name !== "Body" && child.name !== "Guard") continue;
    const inner = child.name === "Body" && bodies++ === 0;
    visit(child, inner ? body : innerPlace(node, child, place), text, found);
  }
};

/** The context of a node's first body; an `else` has the node's own context. */
const bodyPlace = (node: SyntaxNode, place: Place, text: string): Place => {
  switch (node.name) {
    case "FunctionDefinition":
      return {
        kind: text.startsWith("async", node.from) ? "async" : "function",
        functions: place.functions + 1,
        loop: false,
        lazy: false,
      };
    case "ClassDefinition":
      return { ...place, kind: "class", loop: false, lazy: false };
    case "ForStatement":
    case "WhileStatement":
      return { ...place, loop: true };
    default:
      return place;
  }
};

const innerPlace = (node: SyntaxNode, child: SyntaxNode, place: Place): Place => {
  if (node.name === "LambdaExpression" && child.name !== "ParamList")
    return { kind: "function", functions: place.functions + 1, loop: false, lazy: false };
  return isComprehension(node) ? { ...place, lazy: true } : place;
};

const isComprehension = (node: SyntaxNode): boolean =>
  node.name.endsWith("ComprehensionExpression") ||
  (node.name === "ArgList" && childrenOf(node).some(({ name }) => name === "for" || name === "async"));

const faultOf = (node: SyntaxNode, place: Place, text: string): number | undefined => {
  const source = (): string => text.slice(node.from, node.to);
  const outside = place.kind === "module" || place.kind === "class";
  switch (node.name) {
    case "ReturnStatement":
    case "YieldStatement":
    case "YieldExpression":
      return outside ? node.from : undefined;
    case "VariableName":
      // A bare `yield` is parsed as a name.
      return outside && source() === "yield" ? node.from : undefined;
    case "AwaitExpression":
      return place.kind !== "async" && !place.lazy ? node.from : undefined;
    case "BreakStatement":
    case "ContinueStatement":
      return place.loop ? undefined : node.from;
    case "WithStatement":
      return isAsync(node) && place.kind !== "async" ? node.from : undefined;
    case "ForStatement":
      return isAsync(node) && place.kind !== "async" ? node.from : loopTarget(node);
    case "ScopeStatement":
      return source().startsWith("nonlocal") && place.functions - (outside ? 0 : 1) < 1
        ? node.from
        : undefined;
    case "FunctionDefinition":
    case "LambdaExpression":
    case "ClassDefinition":
      return definitionFault(node, text);
    case "AssignStatement":
    case "UpdateStatement":
      return assignFault(node);
    case "DeleteStatement":
      return firstUnassignable(childrenOf(node).slice(1));
    case "NamedExpression":
      return firstUnassignable(childrenOf(node).slice(0, 1), true);
    case "ArgList":
      return isComprehension(node) ? loopTarget(node) : argumentFault(node, text);
    case "ImportStatement":
      return place.kind !== "module" ? importFault(node, text) : undefined;
    case "TryStatement":
      return tryFault(node);
    case "RaiseStatement":
      return childrenOf(node).find(isComma)?.from;
    case "CompareOp":
      return source() === "<>" && !text.includes("barry_as_FLUFL") ? node.from : undefined;
    case "Number":
      return /^0[\d_]*[1-9][\d_]*$/.test(source()) ? node.from : undefined;
    case "PropertyName":
      return keywords.has(source()) ? node.from : undefined;
    default:
      return isComprehension(node) ? loopTarget(node) : undefined;
  }
};

const keywords = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda " +
    "nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

const isAsync = (node: SyntaxNode): boolean => node.firstChild?.name === "async";

const definitionFault = (node: SyntaxNode, text: string): number | undefined => {
  const children = childrenOf(node);
  const list = children.find(({ name }) => name === "ParamList");
  const body = children.find(({ name }) => name === "Body");
  const parameters = list === undefined ? [] : splitAt(childrenOf(list), isComma);
  return (
    parameterFault(parameters, text) ?? (body === undefined ? undefined : scopeFault(body, parameters, text))
  );
};

/** Every expression that cannot be assigned to. */
const values = new Set([
  "Number",
  "String",
  "FormatString",
  "ContinuedString",
  "None",
  "Boolean",
  "Ellipsis",
  "CallExpression",
  "BinaryExpression",
  "UnaryExpression",
  "ConditionalExpression",
  "LambdaExpression",
  "DictionaryExpression",
  "SetExpression",
  "AwaitExpression",
]);

const firstUnassignable = (nodes: readonly SyntaxNode[], onlyName = false): number | undefined => {
  for (const node of nodes) {
    if (values.has(node.name) || node.name.endsWith("ComprehensionExpression")) return node.from;
    if (onlyName && node.name === "MemberExpression") return node.from;
    const nested = /^(?:Tuple|Array|Parenthesized)Expression$/.test(node.name)
      ? firstUnassignable(childrenOf(node), onlyName)
      : undefined;
    if (nested !== undefined) return nested;
  }
  return undefined;
};

const assignFault = (node: SyntaxNode): number | undefined => {
  const groups = splitAt(
    childrenOf(node).filter(({ name }) => name !== "TypeDef"),
    ({ name }) => name === "AssignOp" || name === "UpdateOp",
  );
  // `x: int` on its own has a target but no value.
  const targets = groups.length === 1 ? groups : groups.slice(0, -1);
  const several = node.name === "UpdateStatement" ? targets.flat().find(isComma) : undefined;
  return several?.from ?? firstUnassignable(targets.flat());
};

/** Targets between `for` and `in`, in a loop or a comprehension. */
const loopTarget = (node: SyntaxNode): number | undefined => {
  const targets: SyntaxNode[] = [];
  let inside = false;
  for (const child of childrenOf(node)) {
    if (child.name === "for") inside = true;
    else if (child.name === "in") inside = false;
    else if (inside) targets.push(child);
  }
  return firstUnassignable(targets);
};

const argumentFault = (list: SyntaxNode, text: string): number | undefined => {
  const names = new Set<string>();
  let unpacked = false;
  const inner = childrenOf(list).filter(({ name }) => name !== "(" && name !== ")");
  for (const [first, second] of splitAt(inner, isComma)) {
    if (first === undefined) continue;
    const name = text.slice(first.from, first.to);
    // `name := value` is a value, not a statement.
    const named = second?.name === "AssignOp" && text.slice(second.from, second.to) === "=";
    if (first.name === "**") unpacked = true;
    else if (first.name === "*" ? unpacked : named ? names.has(name) : unpacked || names.size > 0)
      return first.from;
    else if (named) names.add(name);
  }
  return undefined;
};

const importFault = (node: SyntaxNode, text: string): number | undefined =>
  childrenOf(node).some(({ name }) => name === "*") || isFuture(node, text) ? node.from : undefined;

const isFuture = (node: SyntaxNode, text: string): boolean => {
  const [from, module, next] = childrenOf(node);
  return (
    from?.name === "from" &&
    module !== undefined &&
    text.slice(module.from, module.to) === "__future__" &&
    next?.name === "import"
  );
};

/** `from __future__` after anything other than strings and other `__future__` imports. */
const lateFuture = (top: SyntaxNode, text: string): number | undefined => {
  let started = false;
  const statements = childrenOf(top).flatMap((node) =>
    node.name === "StatementGroup" ? childrenOf(node).filter(({ name }) => name !== ";") : [node],
  );
  for (const node of statements) {
    if (isFuture(node, text)) {
      if (started) return node.from;
      continue;
    }
    const [only, more] = node.name === "ExpressionStatement" ? childrenOf(node) : [];
    if (more !== undefined || only === undefined || !/^(?:String|ContinuedString)$/.test(only.name))
      started = true;
  }
  return undefined;
};

/** A `try` without a handler, and an `except:` that is not the last one. */
const tryFault = (node: SyntaxNode): number | undefined => {
  const children = childrenOf(node);
  const handlers = children.filter(({ name }) => name === "except");
  if (handlers.length === 0 && children.every(({ name }) => name !== "finally")) return node.from;
  return handlers.slice(0, -1).find((handler) => handler.nextSibling?.name === "Body")?.from;
};
