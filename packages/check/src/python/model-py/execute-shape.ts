import { isCall, isListOf, isName, isOver, mentions, methodCall } from "../patterns.ts";
import type { Expression, ForLoop, FunctionDefinition, Statement } from "../syntax.ts";
import { allExpressions, allParts, allStatements, expressionsOf } from "../walk.ts";

/** A return statement in `execute` that always returns a single response for all requests. */
export interface OneResponse {
  readonly place: Expression;
  readonly how:
    | "after the loop over the requests"
    | "after a comprehension over the requests"
    | "in the first iteration of the loop over the requests"
    | "without a loop over the requests";
}

/** The position where an `execute` creates a single response; undefined if it may create one for every request. */
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
    return { place: early, how: "in the first iteration of the loop over the requests" };
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

/** Whether a condition depends on the number of requests, or the variable with the requests is reassigned. */
const knowsItsCount = (execute: FunctionDefinition, requests: string): boolean => {
  const statements = allStatements(execute.body);
  const isCount = (expression: Expression): boolean =>
    isCall(expression, "len", (argument) => isName(argument, requests));
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
    assigned.some(({ target }) => mentions(target, requests)) ||
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
 * `x` in `name.append(x)`, if the list starts empty, no other code uses it, and the call is neither in a loop nor under
 * a condition.
 */
const appendedOnce = (
  name: string,
  body: readonly Statement[],
  execute: FunctionDefinition,
): Expression | undefined => {
  const uses = allExpressions(execute.body).filter((part) => isName(part, name));
  const isEmpty = body.some(
    (statement) =>
      statement.kind === "assign" &&
      statement.operator === "=" &&
      isListOf(statement.value, 0) &&
      statement.targets.length === 1 &&
      isName(statement.targets[0], name),
  );
  const appended = body.flatMap((statement) => {
    const call = statement.kind === "expression" ? methodCall(statement.value) : undefined;
    return call?.name === "append" && isName(call.object, name) ? call.args.map(({ value }) => value) : [];
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
    (statement) => statement.kind === "assign" && statement.targets.some((target) => isName(target, name)),
  );
  const assign = rest[index];
  const place = assign?.kind === "assign" && assign.operator === "=" ? singleOf(assign.value) : undefined;
  if (place === undefined) return undefined;
  const later = rest.slice(index + 1, -1);
  const touched = later
    .flatMap((statement) => allStatements([statement]))
    .flatMap(expressionsOf)
    .some((expression) => mentions(expression, name));
  return touched ? undefined : place;
};

/** Whether the only use of the requests is `requests[0]`. */
const withoutLoop = (execute: FunctionDefinition, requests: string): OneResponse | undefined => {
  const all = allExpressions(execute.body);
  const uses = all.filter((expression) => isName(expression, requests));
  const firsts = all.flatMap((expression) => {
    if (expression.kind !== "index" || !isName(expression.object, requests)) return [];
    const [index] = expression.index;
    return expression.index.length === 1 && index?.kind === "number" && index.value === 0 ? [expression] : [];
  });
  const [place] = firsts;
  return place !== undefined && uses.length === firsts.length
    ? { place, how: "without a loop over the requests" }
    : undefined;
};

/** `[one]`. */
const singleOf = (value: Expression | undefined): Expression | undefined =>
  value?.kind === "sequence" && isListOf(value, 1) && value.items[0]?.kind !== "other" ? value : undefined;
