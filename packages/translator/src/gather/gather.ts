import { ts } from "ts-morph";
import type { Declaration } from "../ir/code.ts";
import type { Variable } from "../ir/variable.ts";
import { type Gathered, type ModuleNames, newModuleNames } from "../read/module-names.ts";
import { newReader, type Notes } from "../read/new-reader.ts";
import { commentsBefore } from "../read/comments.ts";
import type { Refusals } from "../refusals/refusals.ts";
import type { Sources } from "../sources.ts";
import { symbolOf } from "../read/symbol-of.ts";

/** A function and everything that it uses in its project. */
export interface Program {
  readonly declarations: readonly Declaration[];
  /** The source of each declaration, in the same order. The last one is `run`, if it has no name. */
  readonly written: readonly Written[];
  readonly run: Variable;
  readonly references: ModuleNames["references"];
  /** Whether `run` takes all rows of a request at once. */
  readonly isBatch: boolean;
  readonly notes: Notes;
}
export type Written =
  | Gathered
  | { readonly declaration: Declaration; readonly node: ts.Expression | ts.MethodDeclaration };

export const gather = (
  opened: NonNullable<ReturnType<Sources["open"]>>,
  sources: Sources,
  run: ts.Expression | ts.MethodDeclaration,
  refusals: Refusals,
  per: "row" | "request" | undefined,
): Program | undefined => {
  const { program, checker } = opened;
  let names: ModuleNames | undefined;
  const notes: Notes = { parses: new Map(), members: new Map(), named: [], lacking: new Set() };
  const reader = newReader({ program, checker, placeOf: sources.placeOf }, refusals, notes, (made) => {
    names = newModuleNames(made, program);
    return names;
  });
  if (names === undefined) return undefined;
  const { gathered, references, scope } = names;
  const isBatch = (per ?? (calledName(run, checker) === "batchStep" ? "request" : "row")) === "request";
  const own = unwrap(run);
  if (ts.isIdentifier(own)) {
    const named = reader.name(own);
    if (named.kind !== "variable") {
      if (named.kind !== "refused")
        reader.refuse(own, "function/not-found", `\`${own.text}\` is not a function of this project`);
      return undefined;
    }
    const found = gathered.find(({ declaration }) => declaration.variable === named.variable);
    if (found?.declaration.value.kind !== "lambda") {
      reader.refuse(own, "function/not-found", `\`${own.text}\` is not a function written there`);
      return undefined;
    }
    return {
      declarations: gathered.map(({ declaration }) => declaration),
      written: gathered,
      run: named.variable,
      references,
      isBatch,
      notes,
    };
  }
  if (!ts.isArrowFunction(own) && !ts.isFunctionExpression(own) && !ts.isMethodDeclaration(own)) {
    reader.refuse(own, "function/not-found", "`run` is the result of an expression");
    return undefined;
  }
  const variable: Variable = { name: "run", kind: "module", scope, type: reader.typeOf(own) };
  const value = reader.lambda(own, scope);
  const declaration: Declaration = {
    variable,
    value,
    at: reader.at(own),
    comments: commentsBefore(run.parent),
  };
  const written = [...gathered, { declaration, node: own }];
  return {
    declarations: written.map((one) => one.declaration),
    written,
    run: variable,
    references,
    isBatch,
    notes,
  };
};

/** Name of the function that is called with `run` in its options, such as `step`. */
const calledName = (run: ts.Node, checker: ts.TypeChecker): string | undefined => {
  const callee = ts.findAncestor(run, ts.isCallExpression)?.expression;
  if (callee === undefined) return undefined;
  const name = ts.isPropertyAccessExpression(callee) ? callee.name : callee;
  const declared = symbolOf(checker, name);
  return declared === undefined || declared.getName() === "unknown" ? name.getText() : declared.getName();
};

const unwrap = (node: ts.Expression | ts.MethodDeclaration): ts.Expression | ts.MethodDeclaration =>
  ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)
    ? unwrap(node.expression)
    : node;
