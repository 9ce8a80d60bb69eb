import { ts } from "ts-morph";
import type { Case, Expression, Statement } from "../ir/code.ts";
import { type Scope, scopeIn } from "../ir/variable.ts";
import { typeOfKind } from "../ir/value-type.ts";
import type { Reader } from "./reader.ts";

/** Reads a `switch` as independent cases. A case that falls through contains the next case, and `break` is removed. */
export const readSwitch = (
  reader: Reader,
  node: ts.SwitchStatement,
  outer: Scope,
): Statement["does"] & { readonly kind: "switch" } => {
  const value = reader.expression(node.expression, outer);
  const scope = scopeIn(scopeIn(outer, "block"), "block");
  const { clauses } = node.caseBlock;
  const bodies = clauses.map((clause) => reader.statements(clause.statements, scope));
  const cases: Case[] = [];
  let labels: (Expression | undefined)[] = [];
  for (const [at, clause] of clauses.entries()) {
    labels.push(ts.isCaseClause(clause) ? reader.expression(clause.expression, outer) : undefined);
    if (clause.statements.length === 0 && at < clauses.length - 1) continue;
    const body = withoutBreaks(throughFrom(bodies, at));
    if (body === undefined) refuseBreaks(reader, clause);
    cases.push({ labels, body: body ?? [], at: reader.at(clause) });
    labels = [];
  }
  return { kind: "switch", value, cases };
};

/** The statements of a case and of the following cases, up to the first case that does not fall through. */
const throughFrom = (bodies: readonly (readonly Statement[])[], from: number): readonly Statement[] => {
  const all: Statement[] = [];
  for (const body of bodies.slice(from)) {
    all.push(...body);
    if (isLeft(body)) break;
  }
  return all;
};

/** Whether the statements always leave the case, the loop or the function. */
const isLeft = (statements: readonly Statement[]): boolean =>
  statements.some(({ does }) => {
    switch (does.kind) {
      case "break":
      case "continue":
      case "return":
      case "throw":
        return true;
      case "block":
        return isLeft(does.body);
      case "if":
        return isLeft(does.whenTrue) && isLeft(does.otherwise);
      default:
        return false;
    }
  });

/** Whether a `break` in a statement leaves the `switch` around it rather than a loop. */
const breaks = ({ does }: Statement): boolean => {
  switch (does.kind) {
    case "break":
      return does.label === undefined;
    case "block":
      return does.body.some(breaks);
    case "if":
      return does.whenTrue.some(breaks) || does.otherwise.some(breaks);
    case "try":
      return [...does.body, ...(does.handler ?? []), ...does.always].some(breaks);
    default:
      return false;
  }
};

/** Removes `break`. Code after an `if` that breaks moves into its other branch; undefined if code would have to be duplicated. */
const withoutBreaks = (statements: readonly Statement[]): readonly Statement[] | undefined => {
  const at = statements.findIndex(breaks);
  const statement = statements[at];
  if (statement === undefined) return statements;
  const [before, after] = [statements.slice(0, at), statements.slice(at + 1)];
  const { does } = statement;
  if (does.kind === "break") return before;
  if (does.kind === "block") {
    const inside = withoutBreaks([...does.body, ...after]);
    return inside && [...before, ...inside];
  }
  if (does.kind !== "if") return undefined;
  const then = (branch: readonly Statement[]): readonly Statement[] =>
    isLeft(branch) ? branch : [...branch, ...after];
  if (after.length > 0 && !isLeft(does.whenTrue) && !isLeft(does.otherwise)) return undefined;
  const whenTrue = withoutBreaks(then(does.whenTrue));
  const otherwise = withoutBreaks(then(does.otherwise));
  if (whenTrue === undefined || otherwise === undefined) return undefined;
  if (whenTrue.length > 0) return [...before, { ...statement, does: { ...does, whenTrue, otherwise } }];
  const { test } = does;
  const not: Expression = {
    kind: "unary",
    operator: "!",
    operand: test,
    type: typeOfKind("boolean"),
    at: test.at,
  };
  return [...before, { ...statement, does: { kind: "if", test: not, whenTrue: otherwise, otherwise: [] } }];
};

const refuseBreaks = (reader: Reader, node: ts.Node): void => {
  if (ts.isIterationStatement(node, false) || ts.isSwitchStatement(node) || ts.isFunctionLike(node)) return;
  if (ts.isBreakStatement(node) && node.label === undefined)
    reader.refuse(
      node,
      "function/syntax",
      "`break` within a case, followed by more statements",
      "`if` and `else`, or a function with `return`",
    );
  ts.forEachChild(node, (child) => refuseBreaks(reader, child));
};
