import type { Expression, ForLoop, FunctionDefinition, Statement } from "./syntax.ts";
import { allExpressions, allParts, allStatements, expressionsOf } from "./walk.ts";

/** A return of an `execute` that certainly gives one response for all requests. */
export interface OneResponse {
  readonly place: Expression;
  readonly how:
    | "after the loop over the requests"
    | "after a comprehension over the requests"
    | "in the first round of the loop over the requests"
    | "without a loop over the requests";
}

/** Where an `execute` answers only once; undefined when it may answer every request. */
export const oneResponse = (execute: FunctionDefinition): OneResponse | undefined => {
  const requests = execute.parameters[1]?.name;
  if (requests === undefined || knowsItsCount(execute, requests)) return undefined;
  const body = execute.body.flatMap(withoutWith);
  const loop = body.find(
    (statement): statement is ForLoop => statement.kind === "for" && isOver(statement.source, requests),
  );
  if (loop === undefined && !comprehends(execute, requests)) return withoutLoop(execute, requests);
  const [end] = loop?.body.slice(-1) ?? [];
  const early = end?.kind === "return" ? singleOf(end.value) : undefined;
  if (early !== undefined && loop?.body.some(mayContinue) === false)
    return { place: early, how: "in the first round of the loop over the requests" };
  const rest = loop === undefined ? body : body.slice(body.indexOf(loop) + 1);
  const [last] = rest.slice(-1);
  if (last?.kind !== "return" || last.value === undefined) return undefined;
  const place =
    singleOf(last.value) ??
    (last.value.kind === "name"
      ? (lastAssigned(last.value.name, rest) ?? appendedOnce(last.value.name, body, execute))
      : undefined);
  const how =
    loop === undefined ? "after a comprehension over the requests" : "after the loop over the requests";
  return place === undefined ? undefined : { place, how };
};

/** The body of a `with` runs once. */
const withoutWith = (statement: Statement): readonly Statement[] =>
  statement.kind === "block" && statement.what === "with"
    ? statement.branches.flatMap(({ body }) => body.flatMap(withoutWith))
    : [statement];

/** Whether a condition asks for the number of requests, or the name stands for other requests. */
const knowsItsCount = (execute: FunctionDefinition, requests: string): boolean => {
  const statements = allStatements(execute.body);
  const isCount = (expression: Expression): boolean =>
    expression.kind === "call" &&
    expression.callee.kind === "name" &&
    expression.callee.name === "len" &&
    expression.args.some(({ value }) => value.kind === "name" && value.name === requests);
  const assigned = statements.flatMap((statement) =>
    statement.kind === "assign"
      ? statement.targets.map((target) => ({ target, value: statement.value }))
      : [],
  );
  const counts = new Set(
    assigned.flatMap(({ target, value }) =>
      target.kind === "name" && value !== undefined && allParts(value).some(isCount) ? [target.name] : [],
    ),
  );
  const conditions = [
    ...statements.flatMap((statement) =>
      statement.kind === "block"
        ? statement.branches.flatMap(({ parts }) => parts)
        : statement.kind === "plain"
          ? statement.parts
          : [],
    ),
    ...allExpressions(execute.body).filter(
      (expression) => expression.kind === "other" && expression.what === "ConditionalExpression",
    ),
  ];
  return (
    assigned.some(({ target }) =>
      allParts(target).some((part) => part.kind === "name" && part.name === requests),
    ) ||
    conditions
      .flatMap(allParts)
      .some((part) => isCount(part) || (part.kind === "name" && counts.has(part.name)))
  );
};

const comprehends = (execute: FunctionDefinition, requests: string): boolean =>
  allExpressions(execute.body, true).some(
    (expression) =>
      expression.kind === "comprehension" &&
      expression.clauses.some(({ target, source }) => target !== undefined && isOver(source, requests)),
  );

/**
 * `x` of `name.append(x)`, where the list begins empty, nothing else touches it, and the call is in no loop and under no
 * condition.
 */
const appendedOnce = (
  name: string,
  body: readonly Statement[],
  execute: FunctionDefinition,
): Expression | undefined => {
  const uses = allExpressions(execute.body).filter((part) => part.kind === "name" && part.name === name);
  const isEmpty = body.some(
    (statement) =>
      statement.kind === "assign" &&
      statement.operator === "=" &&
      statement.value?.kind === "sequence" &&
      statement.value.shape === "list" &&
      statement.value.items.length === 0 &&
      statement.targets.length === 1 &&
      statement.targets[0]?.kind === "name" &&
      statement.targets[0].name === name,
  );
  const appended = body.flatMap((statement) => {
    if (statement.kind !== "expression" || statement.value.kind !== "call") return [];
    const { callee, args } = statement.value;
    return callee.kind === "attribute" &&
      callee.name === "append" &&
      callee.object.kind === "name" &&
      callee.object.name === name
      ? args.map(({ value }) => value)
      : [];
  });
  // The empty list, `append` and `return`.
  return isEmpty && appended.length === 1 && uses.length === 3 ? appended[0] : undefined;
};

const mayContinue = (statement: Statement): boolean =>
  allStatements([statement], true).some(
    (inner) => inner.kind === "plain" && inner.what === "ContinueStatement",
  );

const lastAssigned = (name: string, rest: readonly Statement[]): Expression | undefined => {
  const index = rest.findLastIndex(
    (statement) =>
      statement.kind === "assign" &&
      statement.targets.some((target) => target.kind === "name" && target.name === name),
  );
  const assign = rest[index];
  const place = assign?.kind === "assign" && assign.operator === "=" ? singleOf(assign.value) : undefined;
  if (place === undefined) return undefined;
  const later = rest.slice(index + 1, -1);
  const touched = later
    .flatMap((statement) => allStatements([statement]))
    .flatMap(expressionsOf)
    .flatMap(allParts)
    .some((expression) => expression.kind === "name" && expression.name === name);
  return touched ? undefined : place;
};

/** `requests[0]` and no other use of the requests. */
const withoutLoop = (execute: FunctionDefinition, requests: string): OneResponse | undefined => {
  const all = allExpressions(execute.body);
  const uses = all.filter((expression) => expression.kind === "name" && expression.name === requests);
  const firsts = all.flatMap((expression) => {
    if (
      expression.kind !== "index" ||
      expression.object.kind !== "name" ||
      expression.object.name !== requests
    )
      return [];
    const [index] = expression.index;
    return expression.index.length === 1 && index?.kind === "number" && index.value === 0 ? [expression] : [];
  });
  const [place] = firsts;
  return place !== undefined && uses.length === firsts.length
    ? { place, how: "without a loop over the requests" }
    : undefined;
};

const isOver = (source: Expression, requests: string): boolean =>
  source.kind === "name"
    ? source.name === requests
    : source.kind === "call" &&
      source.callee.kind === "name" &&
      source.callee.name === "enumerate" &&
      source.args.some(({ value }) => isOver(value, requests));

/** `[one]`. */
const singleOf = (value: Expression | undefined): Expression | undefined =>
  value?.kind === "sequence" &&
  value.shape === "list" &&
  value.items.length === 1 &&
  value.items[0]?.kind !== "other"
    ? value
    : undefined;
