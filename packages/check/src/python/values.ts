import { remembered } from "@tritype/core";
import { innermostOf } from "./innermost.ts";
import type { Expression, FunctionDefinition, Place, PythonModule, Statement } from "./syntax.ts";
import { allExpressions, allStatements } from "./walk.ts";

/** The values of names and attributes that are set exactly once. */
export interface Values {
  /** Follows names and attributes of `self` that are assigned once; other expressions are returned unchanged. */
  readonly resolve: (expression: Expression) => Expression;
  /** All names that anything in the file binds, in any scope. */
  readonly bound: ReadonlySet<string>;
  /** All attribute names that anything in the file sets, on any object. */
  readonly attributes: ReadonlySet<string>;
}

/** Name → what it is bound to; undefined for anything other than a single expression. */
export type Bindings = Map<string, (Expression | undefined)[]>;

export const valuesOf: (module: PythonModule) => Values = remembered((module) => {
  const attributes: Bindings = new Map();
  const scopes = new Map<FunctionDefinition | undefined, Bindings>([[undefined, new Map()]]);
  const functions: FunctionDefinition[] = [];
  for (const statement of allStatements(module.body))
    if (statement.kind === "function") {
      functions.push(statement);
      scopes.set(statement, new Map(statement.parameters.map(({ name }) => [name, [undefined]])));
    }
  const innermost = innermostOf(functions);
  const globals = new Set(
    allStatements(module.body).flatMap((statement) => (statement.kind === "scope" ? statement.names : [])),
  );
  const bind = (target: Expression, value: Expression | undefined): void => {
    if (target.kind === "name") {
      const scope = globals.has(target.name) ? undefined : innermost(target);
      add(scopes.get(scope) ?? new Map(), target.name, globals.has(target.name) ? undefined : value);
    } else if (target.kind === "attribute") add(attributes, target.name, value);
    else if (target.kind === "sequence") for (const item of target.items) bind(item, undefined);
    else if (target.kind === "other") for (const part of target.parts) bind(part, undefined);
  };
  for (const statement of allStatements(module.body))
    bindStatement(statement, bind, scopes.get(innermost(statement)));
  for (const expression of allExpressions(module.body)) bindExpression(expression, bind, innermost, scopes);
  const resolve = (expression: Expression): Expression => {
    let current = expression;
    for (let step = 0; step < 8; step += 1) {
      const next = follow(current);
      if (next === undefined) return current;
      current = next;
    }
    return current;
  };
  const follow = (expression: Expression): Expression | undefined => {
    if (expression.kind === "attribute")
      return expression.object.kind === "name" && expression.object.name === "self"
        ? only(attributes.get(expression.name))
        : undefined;
    if (expression.kind !== "name") return undefined;
    let scope = innermost(expression);
    for (;;) {
      const found = scopes.get(scope)?.get(expression.name);
      if (found !== undefined) return only(found);
      if (scope === undefined) return undefined;
      scope = innermost(scope);
    }
  };
  return {
    resolve,
    bound: new Set([...scopes.values()].flatMap((scope) => [...scope.keys()])),
    attributes: new Set(attributes.keys()),
  };
});

const only = (values: readonly (Expression | undefined)[] | undefined): Expression | undefined =>
  values?.length === 1 ? values[0] : undefined;

const add = (bindings: Bindings, name: string, value: Expression | undefined): void => {
  const values = bindings.get(name);
  if (values === undefined) bindings.set(name, [value]);
  else values.push(value);
};

type Bind = (target: Expression, value: Expression | undefined) => void;

/** Passes the targets of a statement to `bind`, and adds the names that it imports or defines to `scope`. */
export const bindStatement = (statement: Statement, bind: Bind, scope: Bindings | undefined): void => {
  switch (statement.kind) {
    case "assign":
      for (const target of statement.targets)
        bind(target, statement.operator === "=" ? statement.value : undefined);
      return;
    case "for":
      return bind(statement.target, undefined);
    case "delete":
      for (const target of statement.targets) bind(target, undefined);
      return;
    case "block":
      for (const { binds } of statement.branches) for (const target of binds) bind(target, undefined);
      return;
    case "import":
      for (const { name } of statement.names) if (scope) add(scope, name, undefined);
      return;
    case "function":
    case "class":
      if (scope) add(scope, statement.name, undefined);
      return;
    case "scope":
      for (const name of statement.names) if (scope) add(scope, name, undefined);
      return;
    default:
  }
};

const bindExpression = (
  expression: Expression,
  bind: Bind,
  innermost: (place: Place) => FunctionDefinition | undefined,
  scopes: ReadonlyMap<FunctionDefinition | undefined, Bindings>,
): void => {
  if (expression.kind === "named") bind(expression.target, expression.value);
  if (expression.kind === "comprehension")
    for (const { target } of expression.clauses) if (target) bind(target, undefined);
  if (expression.kind === "lambda")
    for (const { name } of expression.parameters)
      add(scopes.get(innermost(expression)) ?? new Map(), name, undefined);
};

/** The calls in statements, including those in nested functions. */
export const callsIn = (body: readonly Statement[]): readonly (Expression & { readonly kind: "call" })[] =>
  allExpressions(body).filter((expression) => expression.kind === "call");
