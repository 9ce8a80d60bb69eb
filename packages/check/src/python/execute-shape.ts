import type { Expression, ForLoop, FunctionDefinition, Statement } from "./syntax.ts";
import { allExpressions, allParts, allStatements, expressionsOf } from "./walk.ts";

/** A return of an `execute` that certainly gives one response for all requests. */
export interface OneResponse {
  readonly place: Expression;
  readonly how:
    | "after the loop over the requests"
    | "in the first round of the loop over the requests"
    | "without a loop over the requests";
}

/** Where an `execute` answers only once; undefined when it may answer every request. */
export const oneResponse = (execute: FunctionDefinition): OneResponse | undefined => {
  const requests = execute.parameters[1]?.name;
  if (requests === undefined) return undefined;
  const loop = execute.body.find(
    (statement): statement is ForLoop => statement.kind === "for" && isOver(statement.source, requests),
  );
  if (loop === undefined) return withoutLoop(execute, requests);
  const [end] = loop.body.slice(-1);
  const early = end?.kind === "return" ? singleOf(end.value) : undefined;
  if (early !== undefined && !loop.body.some(mayContinue))
    return { place: early, how: "in the first round of the loop over the requests" };
  const rest = execute.body.slice(execute.body.indexOf(loop) + 1);
  const [last] = rest.slice(-1);
  if (last?.kind !== "return" || last.value === undefined) return undefined;
  const place = singleOf(last.value);
  if (place !== undefined) return { place, how: "after the loop over the requests" };
  return last.value.kind === "name" ? lastAssigned(last.value.name, rest) : undefined;
};

const mayContinue = (statement: Statement): boolean =>
  allStatements([statement], true).some(
    (inner) => inner.kind === "plain" && inner.what === "ContinueStatement",
  );

const lastAssigned = (name: string, rest: readonly Statement[]): OneResponse | undefined => {
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
  return touched ? undefined : { place, how: "after the loop over the requests" };
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
