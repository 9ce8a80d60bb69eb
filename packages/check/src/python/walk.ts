import { remembered } from "@tritype/core";
import type { Expression, Place, Statement } from "./syntax.ts";

/** The direct child expressions of an expression. */
export const partsOf = (expression: Expression): readonly Expression[] => {
  switch (expression.kind) {
    case "attribute":
      return [expression.object];
    case "index":
      return [expression.object, ...expression.index];
    case "call":
      return [expression.callee, ...expression.args.map(({ value }) => value)];
    case "sequence":
      return expression.items;
    case "dict":
      return expression.entries.flatMap(({ key, value }) => (key === undefined ? [value] : [key, value]));
    case "comprehension":
      return [
        ...expression.element,
        ...expression.clauses.flatMap(({ target, source }) =>
          target === undefined ? [source] : [target, source],
        ),
      ];
    case "lambda":
      return [...defaultsOf(expression.parameters), expression.body];
    case "named":
      return [expression.target, expression.value];
    case "text":
    case "other":
      return expression.parts;
    default:
      return [];
  }
};

const defaultsOf = (
  parameters: readonly { readonly value: Expression | undefined }[],
): readonly Expression[] => parameters.flatMap(({ value }) => value ?? []);

/** The direct child expressions of a statement, without those of nested statements. */
export const expressionsOf = (statement: Statement): readonly Expression[] => {
  switch (statement.kind) {
    case "function":
      return [...statement.decorators, ...defaultsOf(statement.parameters)];
    case "class":
      return [...statement.decorators, ...statement.bases.map(({ value }) => value)];
    case "expression":
      return [statement.value];
    case "assign":
      return [...statement.targets, ...(statement.value ? [statement.value] : [])];
    case "return":
      return statement.value ? [statement.value] : [];
    case "for":
      return [statement.target, statement.source];
    case "block":
      return statement.branches.flatMap(({ parts, binds }) => [...parts, ...binds]);
    case "delete":
      return statement.targets;
    case "raise":
    case "plain":
      return statement.parts;
    default:
      return [];
  }
};

/** The direct child statements of a statement. */
const bodyOf = (statement: Statement): readonly Statement[] => {
  switch (statement.kind) {
    case "function":
    case "class":
      return statement.body;
    case "for":
      return [...statement.body, ...statement.otherwise];
    case "block":
      return statement.branches.flatMap(({ body }) => body);
    default:
      return [];
  }
};

/** All statements, each before its nested ones; `own` leaves out the contents of nested functions and classes. */
export const allStatements = (body: readonly Statement[], own = false): readonly Statement[] =>
  (own ? ownStatements : statements)(body);

/** The result is cached, because rules walk the same bodies repeatedly. */
const statements = remembered((body: readonly Statement[]) => statementsIn(body, false));
const ownStatements = remembered((body: readonly Statement[]) => statementsIn(body, true));

const statementsIn = (body: readonly Statement[], own: boolean): readonly Statement[] =>
  body.flatMap((statement) =>
    own && (statement.kind === "function" || statement.kind === "class")
      ? [statement]
      : [statement, ...statementsIn(bodyOf(statement), own)],
  );

/** An expression and everything in it. */
export const allParts = (expression: Expression): readonly Expression[] => {
  const found: Expression[] = [];
  addParts(expression, found);
  return found;
};

const addParts = (expression: Expression, found: Expression[]): void => {
  found.push(expression);
  for (const part of partsOf(expression)) addParts(part, found);
};

/** Every expression of the statements, including nested ones. */
export const allExpressions = (body: readonly Statement[], own = false): readonly Expression[] =>
  (own ? ownExpressions : expressions)(body);

const expressions = remembered((body: readonly Statement[]) => expressionsIn(allStatements(body)));
const ownExpressions = remembered((body: readonly Statement[]) => expressionsIn(allStatements(body, true)));

const expressionsIn = (statements: readonly Statement[]): readonly Expression[] => {
  const found: Expression[] = [];
  for (const statement of statements)
    for (const expression of expressionsOf(statement)) addParts(expression, found);
  return found;
};

export const isInside = (inner: Place, outer: Place): boolean =>
  outer.from <= inner.from && inner.to <= outer.to;

/** `a.b.c`, consisting of names and attributes; undefined for anything else. */
export const dottedName = (expression: Expression): string | undefined => {
  if (expression.kind === "name") return expression.name;
  if (expression.kind !== "attribute") return undefined;
  const object = dottedName(expression.object);
  return object === undefined ? undefined : `${object}.${expression.name}`;
};
