import type { Span } from "@tritype/core";
import { ts } from "ts-morph";
import type { Sources } from "../sources.ts";

/** A place where an ensemble's `run` branches on a tensor. Tensors have no value there and are always truthy. */
export interface TensorCondition {
  readonly at: Span;
  /** The construct: "if", "?:", "&&", "===", … */
  readonly construct: string;
  /** The tensor's source text, on one line. */
  readonly text: string;
}

/** Finds conditions on expressions that are always tensors. Testing whether an optional tensor (`mask?: Tensor`) is present is allowed. */
export const findTensorConditions = (
  sources: Sources,
  files: readonly string[],
): readonly TensorCondition[] =>
  files.flatMap((name) => {
    const opened = sources.open(name);
    return opened === undefined || opened.file.isDeclarationFile
      ? []
      : conditionsIn(opened.file, opened.checker, sources.placeOf);
  });

const conditionsIn = (
  file: ts.SourceFile,
  checker: ts.TypeChecker,
  placeOf: Sources["placeOf"],
): readonly TensorCondition[] => {
  const found: TensorCondition[] = [];
  const check = (construct: string, ...operands: readonly ts.Expression[]): void => {
    const [first] = operands;
    if (
      first === undefined ||
      !operands.every((operand) => isTensor(checker.getTypeAtLocation(operand), checker))
    )
      return;
    const own = withoutParentheses(first);
    found.push({ at: placeOf(own), construct, text: own.getText(file).replaceAll(/\s*\n\s*/g, "") });
  };
  const visit = (node: ts.Node): void => {
    for (const [construct, ...operands] of decisions(node, checker)) check(construct, ...operands);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

type Decision = readonly [construct: string, ...operands: ts.Expression[]];

/** The conditions of a construct. A condition with several operands is reported only if all of them are tensors. */
const decisions = (node: ts.Node, checker: ts.TypeChecker): readonly Decision[] => {
  if (ts.isIfStatement(node)) return truthTests("if", node.expression);
  if (ts.isWhileStatement(node)) return truthTests("while", node.expression);
  if (ts.isDoStatement(node)) return truthTests("do … while", node.expression);
  if (ts.isForStatement(node) && node.condition !== undefined) return truthTests("for", node.condition);
  if (ts.isConditionalExpression(node)) return truthTests("?:", node.condition);
  if (ts.isSwitchStatement(node)) return [["switch", node.expression]];
  if (ts.isCaseClause(node)) return [["case", node.expression]];
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return truthTests("!", node.operand);
  if (ts.isBinaryExpression(node)) return binaryDecisions(node, checker);
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "Boolean")
    return node.arguments.slice(0, 1).map((argument): Decision => ["Boolean()", argument]);
  if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) return answers(node, node.body);
  if (ts.isReturnStatement(node) && node.expression !== undefined)
    return answers(ts.findAncestor(node, ts.isFunctionLike), node.expression);
  return [];
};

/** The condition that a callback of `filter`, `some`, `find` and the like returns. */
const answers = (callback: ts.Node | undefined, result: ts.Expression): readonly Decision[] => {
  const call = callback?.parent;
  if (call === undefined || !ts.isCallExpression(call) || call.arguments[0] !== callback) return [];
  const method = ts.isPropertyAccessExpression(call.expression) ? call.expression.name.text : "";
  return picks.test(method) ? truthTests(`.${method}()`, result) : [];
};
const picks = /^(?:filter|some|every|find(?:Last)?(?:Index)?)$/;

const binaryDecisions = (
  { operatorToken, left, right }: ts.BinaryExpression,
  checker: ts.TypeChecker,
): readonly Decision[] => {
  const operator = logical.get(operatorToken.kind);
  if (operator !== undefined) return truthTests(operator, left);
  const equality = equalities.get(operatorToken.kind);
  if (equality === undefined) return [];
  const [tensor] = [left, right].filter((side) => isTensor(checker.getTypeAtLocation(side), checker));
  const isExistence = [left, right].some((side) => /^(?:undefined|null)$/.test(side.getText()));
  return tensor === undefined ? [] : [[isExistence ? `${equality} undefined` : equality, tensor]];
};

/** In a condition, the right operand of `&&` and `||` is tested as well. A negated operand is reported at its `!`. */
const truthTests = (construct: string, condition: ts.Expression): readonly Decision[] => {
  const own = withoutParentheses(condition);
  return ts.isBinaryExpression(own) && logical.has(own.operatorToken.kind)
    ? truthTests(construct, own.right)
    : [[construct, own]];
};

const withoutParentheses = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAsExpression(node)
    ? withoutParentheses(node.expression)
    : node;

const logical: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.AmpersandAmpersandToken, "&&"],
  [ts.SyntaxKind.BarBarToken, "||"],
  [ts.SyntaxKind.QuestionQuestionToken, "??"],
  [ts.SyntaxKind.QuestionQuestionEqualsToken, "??="],
  [ts.SyntaxKind.AmpersandAmpersandEqualsToken, "&&="],
  [ts.SyntaxKind.BarBarEqualsToken, "||="],
]);
const equalities: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "==="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.EqualsEqualsToken, "=="],
  [ts.SyntaxKind.ExclamationEqualsToken, "!="],
]);

/** Whether the type is a tensor handle. A type parameter counts as its constraint; every member of a union must be a handle. */
const isTensor = (type: ts.Type, checker: ts.TypeChecker): boolean => {
  const own = checker.getBaseConstraintOfType(type) ?? type;
  if ((own.flags & (ts.TypeFlags.Any | ts.TypeFlags.Never | ts.TypeFlags.Unknown)) !== 0) return false;
  if (own.isUnion()) return own.types.every((part) => isTensor(part, checker));
  return own.getProperty("~node") !== undefined && own.getProperty("dims") !== undefined;
};
