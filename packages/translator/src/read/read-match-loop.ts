import { ts } from "ts-morph";
import type { Expression, Statement } from "../ir/code.ts";
import { present, typeOfKind } from "../ir/value-type.ts";
import { type Scope, scopeIn } from "../ir/variable.ts";
import type { Reader } from "./reader.ts";

/**
 * Reads `while ((m = pattern.exec(text)) !== null)` as a loop over all matches. The pattern must be a constant of the
 * same block that nothing else uses, because it stores a position. The text must not change, and `m`, which is null
 * after the loop, must not be used there.
 */
export const readMatchLoop = (
  reader: Reader,
  node: ts.WhileStatement,
  outer: Scope,
): (Statement["does"] & { readonly kind: "for of" }) | undefined => {
  const found = matchedBy(node.expression);
  if (found === undefined) return undefined;
  const pattern = reader.name(found.pattern);
  const match = reader.name(found.match);
  if (pattern.kind !== "regexp" || !pattern.flags.includes("g") || match.kind !== "variable")
    return undefined;
  const around = enclosing(node);
  const uses = (name: ts.Identifier, within: ts.Node): readonly ts.Identifier[] =>
    identifiersIn(within).filter(
      (one) =>
        one.text === name.text &&
        reader.checker.getSymbolAtLocation(one) === reader.checker.getSymbolAtLocation(name),
    );
  const isAlone =
    uses(found.pattern, node.getSourceFile()).length === 2 &&
    uses(found.pattern, around).length === 2 &&
    uses(found.match, around).length === uses(found.match, node).length + 1 &&
    uses(found.match, around).some(isDeclared) &&
    !uses(found.match, node.statement).some(isWritten) &&
    !uses(found.text, node.statement).some(isWritten);
  if (!isAlone) return undefined;
  const scope = scopeIn(outer, "loop");
  const type = present(match.variable.type);
  const iterable: Expression = {
    kind: "invocation",
    row: "string.matchAll",
    receiver: reader.expression(found.text, outer),
    args: [{ spread: false, value: pattern }],
    type: typeOfKind("iterator", { element: type }),
    at: reader.at(found.pattern),
  };
  const { statement } = node;
  return {
    kind: "for of",
    scope,
    pattern: { kind: "bind", variable: match.variable, at: reader.at(found.match) },
    iterable,
    body: reader.statements(ts.isBlock(statement) ? statement.statements : [statement], scope),
  };
};

interface Matched {
  readonly match: ts.Identifier;
  readonly pattern: ts.Identifier;
  readonly text: ts.Identifier;
}

const bare = (node: ts.Expression): ts.Expression =>
  ts.isParenthesizedExpression(node) ? bare(node.expression) : node;

/** The names in `(m = pattern.exec(text)) !== null`, where the comparison is optional. */
const matchedBy = (test: ts.Expression): Matched | undefined => {
  const whole = bare(test);
  const isCompared =
    ts.isBinaryExpression(whole) &&
    /^!==?$/.test(ts.tokenToString(whole.operatorToken.kind) ?? "") &&
    whole.right.kind === ts.SyntaxKind.NullKeyword;
  const assignment = isCompared ? bare(whole.left) : whole;
  if (
    !ts.isBinaryExpression(assignment) ||
    assignment.operatorToken.kind !== ts.SyntaxKind.EqualsToken ||
    !ts.isIdentifier(assignment.left)
  )
    return undefined;
  const call = bare(assignment.right);
  if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return undefined;
  const [text] = call.arguments;
  const pattern = call.expression.expression;
  if (call.expression.name.text !== "exec" || !ts.isIdentifier(pattern)) return undefined;
  return text !== undefined && ts.isIdentifier(text) ? { match: assignment.left, pattern, text } : undefined;
};

/** The body of the enclosing loop or function. */
const enclosing = (node: ts.Node): ts.Node => {
  const found = ts.findAncestor(
    node.parent,
    (outer) => ts.isIterationStatement(outer, false) || ts.isFunctionLike(outer),
  );
  return found ?? node.getSourceFile();
};

const identifiersIn = (node: ts.Node): readonly ts.Identifier[] => {
  const found: ts.Identifier[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isIdentifier(inner)) found.push(inner);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return found;
};

const isDeclared = ({ parent }: ts.Identifier): boolean => ts.isVariableDeclaration(parent);
const isWritten = ({ parent }: ts.Identifier): boolean =>
  (ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind >= ts.SyntaxKind.FirstAssignment &&
    parent.operatorToken.kind <= ts.SyntaxKind.LastAssignment) ||
  ts.isPrefixUnaryExpression(parent) ||
  ts.isPostfixUnaryExpression(parent);
