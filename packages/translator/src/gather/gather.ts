import { ts } from "ts-morph";
import type { Declaration } from "../ir/code.ts";
import type { ValueType } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import { type Gathered, type ModuleNames, newModuleNames } from "../read/module-names.ts";
import { newReader } from "../read/new-reader.ts";
import { commentsBefore } from "../read/comments.ts";
import type { Refusals } from "../refusals/refusals.ts";
import type { Sources } from "../sources.ts";

/** A function with everything of its project that it uses. */
export interface Program {
  readonly declarations: readonly Declaration[];
  /** Where each is written, in the same order; the last one is `run` itself where it has no name of its own. */
  readonly written: readonly Written[];
  readonly run: Variable;
  readonly references: ModuleNames["references"];
  /** Whether `run` takes all rows of a request. */
  readonly isBatch: boolean;
  /** Calls of `JSON.parse` with the types they are taken for. */
  readonly parses: ReadonlyMap<ts.CallExpression, ValueType>;
}
export type Written =
  | Gathered
  | { readonly declaration: Declaration; readonly node: ts.Expression | ts.MethodDeclaration };

export const gather = (
  opened: NonNullable<ReturnType<Sources["open"]>>,
  sources: Sources,
  run: ts.Expression | ts.MethodDeclaration,
  refusals: Refusals,
): Program | undefined => {
  const { program, checker } = opened;
  let names: ModuleNames | undefined;
  const parses = new Map<ts.CallExpression, ValueType>();
  const reader = newReader({ program, checker, placeOf: sources.placeOf }, refusals, parses, (made) => {
    names = newModuleNames(made, program);
    return names;
  });
  if (names === undefined) return undefined;
  const { gathered, references, scope } = names;
  const isBatch = calledName(run) === "batchStep";
  const own = unwrap(run);
  if (ts.isIdentifier(own)) {
    const named = reader.name(own);
    if (named.kind !== "variable") {
      if (named.kind !== "refused")
        reader.refuse(own, "function/not-found", `\`${own.text}\` is no function of this project`);
      return undefined;
    }
    const found = gathered.find(({ declaration }) => declaration.variable === named.variable);
    if (found?.declaration.value.kind !== "lambda") {
      reader.refuse(own, "function/not-found", `\`${own.text}\` is no function that is written there`);
      return undefined;
    }
    return {
      declarations: gathered.map(({ declaration }) => declaration),
      written: gathered,
      run: named.variable,
      references,
      isBatch,
      parses,
    };
  }
  if (!ts.isArrowFunction(own) && !ts.isFunctionExpression(own) && !ts.isMethodDeclaration(own)) {
    reader.refuse(own, "function/not-found", "`run` is made by an expression");
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
    parses,
  };
};

/** Name of the function that is called with `run` in its options. */
const calledName = (run: ts.Node): string | undefined => {
  const call = ts.findAncestor(run, ts.isCallExpression);
  const callee = call?.expression;
  if (callee === undefined) return undefined;
  return ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText();
};

const unwrap = (node: ts.Expression | ts.MethodDeclaration): ts.Expression | ts.MethodDeclaration =>
  ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression(node)
    ? unwrap(node.expression)
    : node;
