import { isName, isOver, mentions, methodCall } from "./patterns.ts";
import type { ModelClass } from "./model-py/model-class.ts";
import { shortened } from "./parse/read-expressions.ts";
import type { Branch, Expression, FunctionDefinition, Statement } from "./syntax.ts";
import { dottedName, expressionsOf, partsOf } from "./walk.ts";

/**
 * The expressions that are certainly evaluated in every call of the given methods. Excludes code under a condition, in
 * a handler, in a `with` that may catch errors, after an early return, in a nested function or in the later part of
 * `a and b`. Includes methods of `self` that are certainly called. The body of a `try` counts if no handler names `error`; without `error`, only if every
 * handler ends in a `raise`.
 */
export const reachedFrom = (
  { methods }: ModelClass,
  names: readonly string[],
  error?: string,
): readonly Expression[] => {
  const seen = new Set<FunctionDefinition>();
  const visit = (name: string): readonly Expression[] => {
    const method = methods.get(name);
    if (method === undefined || seen.has(method)) return [];
    seen.add(method);
    const own = reachedIn(method.body, error);
    return [...own, ...own.flatMap((expression) => visit(calledMethod(expression)))];
  };
  return names.flatMap(visit);
};

/** Code that runs when the file is imported, without the bodies of classes and the heads of definitions. */
export const reachedIn = (body: readonly Statement[], error?: string): readonly Expression[] => {
  const found: Expression[] = [];
  for (const statement of reachedStatements(body, error))
    if (statement.kind !== "function" && statement.kind !== "class") addAll(found, headOf(statement));
  return found;
};

/** The statements that certainly run, each before the statements in it, without those in functions and classes. */
export const reachedStatements = (body: readonly Statement[], error?: string): readonly Statement[] => {
  const found: Statement[] = [];
  collect(body, error, found);
  return found;
};

/** The expressions that are evaluated whenever a statement runs, without those of nested statements. */
export const headOf = (statement: Statement): readonly Expression[] =>
  statement.kind === "block" ? (statement.branches[0]?.parts ?? []) : expressionsOf(statement);

/** false when the rest of the body may not be reached. */
const collect = (body: readonly Statement[], error: string | undefined, found: Statement[]): boolean => {
  for (const statement of body) {
    found.push(statement);
    if (statement.kind === "block") {
      const [first] = statement.branches;
      const runs =
        (statement.what === "with" && first?.parts.every(catchesNothing) === true) ||
        (statement.what === "try" && !isCaught(statement.branches, error));
      if (first !== undefined && runs && !collect(first.body, error, found)) return false;
      if (mayEnd(statement)) return false;
      continue;
    }
    if (statement.kind === "for") {
      // A loop may run zero times, except the loop over the requests in `execute`.
      if (isOver(statement.source, "requests")) collect(statement.body, error, found);
      if (mayEnd(statement)) return false;
    }
    if (statement.kind === "return" || statement.kind === "raise" || isExit(statement)) return false;
    if (statement.kind === "class" && mayEnd(statement)) return false;
    if (statement.kind === "plain" && /Break|Continue|Assert/.test(statement.what)) return false;
  }
  return true;
};

/** Adds the parts one by one, because a million numbers would exceed the maximum number of arguments in a call. */
const addAll = (found: Expression[], expressions: readonly Expression[]): void => {
  for (const part of expressions.flatMap(certainParts)) found.push(part);
};

const isCaught = (branches: readonly Branch[], error: string | undefined): boolean =>
  branches.some(
    ({ keyword, parts, body }) =>
      keyword === "except" &&
      !raisesInTheEnd(body) &&
      (error === undefined || parts.length === 0 || parts.some((part) => mentions(part, error))),
  );

/** `with open(…):`, `with torch.no_grad():`, `with self.lock:`. Other contexts may catch errors, as `pytest.raises` does. */
const catchesNothing = (context: Expression): boolean => {
  const name =
    dottedName(context.kind === "call" ? context.callee : context)
      ?.split(".")
      .at(-1) ?? "";
  return (
    (context.kind === "call" && harmlessContexts.has(name)) ||
    /^(?:.*_)?(?:r?lock|mutex|semaphore)$/i.test(name)
  );
};

const harmlessContexts: ReadonlySet<string> = new Set(
  "Condition NamedTemporaryFile TemporaryDirectory ThreadPoolExecutor autocast closing errstate inference_mode no_grad nullcontext open".split(
    " ",
  ),
);

/** A call that ends the process. */
const isExit = (statement: Statement): boolean =>
  statement.kind === "expression" &&
  statement.value.kind === "call" &&
  exits.has(dottedName(statement.value.callee) ?? "");

const exits: ReadonlySet<string> = new Set(
  "exit quit sys.exit os._exit os.abort pytest.exit pytest.skip".split(" "),
);

const raisesInTheEnd = (body: readonly Statement[]): boolean =>
  body.at(-1)?.kind === "raise" && !body.slice(0, -1).some(mayEnd);

const mayEnd = (statement: Statement): boolean => {
  switch (statement.kind) {
    case "return":
    case "raise":
      return true;
    case "expression":
      return isExit(statement);
    case "class":
      return statement.body.some(mayEnd);
    case "plain":
      return /Break|Continue/.test(statement.what);
    case "for":
      return [...statement.body, ...statement.otherwise].some(mayEnd);
    case "block":
      return statement.branches.some(({ body }) => body.some(mayEnd));
    default:
      return false;
  }
};

/** Parts that are evaluated whenever the expression is evaluated. */
export const certainParts = (expression: Expression): readonly Expression[] => {
  if (expression.kind === "lambda") return [];
  if (expression.kind === "comprehension") {
    const [first] = expression.clauses;
    if (first === undefined) return [];
    const own = isOver(first.source, "requests") && expression.clauses.length === 1 ? expression.element : [];
    return [expression, ...certainParts(first.source), ...own.flatMap(certainParts)];
  }
  if (expression.kind === "other" && expression.what === "ConditionalExpression") {
    const [, condition] = expression.parts;
    return [expression, ...(condition === undefined ? [] : certainParts(condition))];
  }
  if (expression.kind === "other" && expression.what === shortened)
    return [expression, ...expression.parts.slice(0, 1).flatMap(certainParts)];
  return [expression, ...partsOf(expression).flatMap(certainParts)];
};

const calledMethod = (expression: Expression): string => {
  const call = methodCall(expression);
  return call !== undefined && isName(call.object, "self") ? call.name : "";
};
