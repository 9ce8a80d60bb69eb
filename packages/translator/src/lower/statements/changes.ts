import { translatedRow } from "../../builtins/table.ts";
import type { Expression, Lambda } from "../../ir/code.ts";
import { liesIn, type Scope, type Variable } from "../../ir/variable.ts";
import { isShared } from "../../ir/value-type.ts";
import { walk } from "../../ir/walk.ts";
import { targetsIn, targetsOf, writtenBy } from "../../ir/effects.ts";
import { rootOf } from "../../ownership/ownership.ts";
import type { Origins } from "../../ownership/origins.ts";
import type { Flows } from "../../ranges/flows.ts";

/** Variables that statements write to. */
export const writesIn = (body: unknown): ReadonlySet<Variable> =>
  new Set(targetsIn(body).flatMap((target) => (target.kind === "variable" ? [target.variable] : [])));

/**
 * Whether an expression keeps its value while statements run, because neither the statements nor the functions they
 * call write to its variables or change the lengths that it reads. `counter`: a variable that is certainly a valid
 * index of the sequence whose length the expression reads.
 */
export const isSteadyIn = (
  expression: Expression,
  body: unknown,
  { flows, origins }: Known,
  counter?: Variable,
): boolean => {
  const parts = partsOf(expression);
  if (parts === undefined) return false;
  const writes = writesIn(body);
  const run = runBy(body, flows);
  const variables = parts.flatMap((part) => (part.kind === "variable" ? [part.variable] : []));
  const isWritten = (variable: Variable): boolean =>
    writes.has(variable) ||
    (variable.kind === "let" && run.length > 1 && (flows.writes.get(variable)?.length ?? 0) > 1);
  if (variables.some(isWritten)) return false;
  const names = parts.flatMap((part) => (part.kind === "property" ? [part.name] : []));
  if (targetsIn(body).some((target) => target.kind === "property" && names.includes(target.name)))
    return false;
  const measured = parts.flatMap((part) =>
    part.kind === "property" && isSize(part.name) ? [part.object] : [],
  );
  if (measured.length === 0) return true;
  const changed = run.flatMap((one) => resizedIn(one.body, counter));
  return changed.every((one) => measured.every((other) => isDistinct(one, other, origins)));
};

/** Whether statements, or functions that they call, change the number of elements in an expression's value. */
export const isResizedIn = (thing: Expression, body: unknown, { flows, origins }: Known): boolean =>
  runBy(body, flows).some((run) =>
    resizedIn(run.body, undefined).some((one) => !isDistinct(one, thing, origins)),
  );

/** Whether a callback adds elements to the array that it is called for, or removes some. Assignments to elements do not count. */
export const isResizedByCallback = (
  array: Expression,
  callback: Expression,
  { flows, origins }: Known,
): boolean => {
  const lambda = callback.kind === "variable" ? flows.functions.get(callback.variable) : callback;
  if (lambda?.kind !== "lambda") return false;
  const resized = runBy(lambda, flows).flatMap(({ body }) => resizedIn(body, "any index"));
  // The analysis of origins does not distinguish an array from its elements inside a callback.
  const isInside = (one: Expression): boolean => {
    const root = rootOf(one.kind === "effect" ? (writtenBy(one.statement) ?? one) : one);
    return root !== undefined && liesIn(root.scope, lambda.scope);
  };
  return resized.some((one) => !isInside(one) && !isDistinct(one, array, origins));
};

/** Whether the order matters in which two expressions are evaluated: one may change what the other one reads. */
export const mayInterfere = (a: Expression, b: Expression, known: Known): boolean => {
  const [one, other] = [changesIn(a, known), changesIn(b, known)];
  return disturbs(one, b, known) || disturbs(other, a, known);
};

/** Whether the evaluation of an expression changes something that exists before and afterwards. */
export const changesAnything = (expression: Expression, known: Known): boolean => {
  const { variables, objects } = changesIn(expression, known);
  return variables.size + objects.length > 0;
};

/** An object and the name of one of its properties; undefined for any property, element or entry. */
interface Part {
  readonly object: Expression;
  readonly name: string | undefined;
}

interface Changes {
  readonly variables: ReadonlySet<Variable>;
  readonly objects: readonly Part[];
}

/** The changes that an expression makes, including those of functions that it calls, except to objects that they create. */
const changesIn = (expression: Expression, { flows, origins }: Known): Changes => {
  const run = runBy(expression, flows);
  const made = new Set<unknown>();
  const scopes: Scope[] = [];
  const objects: Part[] = [];
  const change = (target: Expression): void => {
    if (target.kind === "property") objects.push({ object: target.object, name: target.name });
    if (target.kind === "element") objects.push({ object: target.object, name: undefined });
  };
  for (const { scope, body } of run) {
    if (scope !== undefined) scopes.push(scope);
    targetsIn(body).forEach(change);
    walk(body, {
      expression(seen) {
        made.add(seen);
        if (seen.kind === "lambda") scopes.push(seen.scope);
        if (
          seen.kind === "invocation" &&
          seen.receiver !== undefined &&
          translatedRow(seen.row)?.changes === true
        )
          objects.push({ object: seen.receiver, name: undefined });
      },
    });
  }
  const isOwn = ({ object }: Part): boolean => {
    const all = [...origins.of(object)];
    return all.length > 0 && all.every((origin) => made.has(origin.made));
  };
  const isLocal = ({ scope }: Variable): boolean => scopes.some((outer) => liesIn(scope, outer));
  return {
    variables: new Set(run.flatMap(({ body }) => [...writesIn(body)]).filter((one) => !isLocal(one))),
    objects: objects.filter((one) => !isOwn(one)),
  };
};

const disturbs = (
  { variables, objects }: Changes,
  reader: Expression,
  { flows, origins }: Known,
): boolean => {
  if (variables.size + objects.length === 0) return false;
  let found = false;
  const read = (object: Expression, name?: string): void => {
    if (!isShared(object.type)) return;
    found ||= objects.some(
      (one) =>
        (one.name === undefined || name === undefined || one.name === name) &&
        !isDistinct(one.object, object, origins),
    );
  };
  for (const { body } of runBy(reader, flows))
    walk(body, {
      expression(seen) {
        if (seen.kind === "variable" && variables.has(seen.variable)) found = true;
        if (seen.kind === "property") read(seen.object, seen.name);
        if (seen.kind === "element") read(seen.object);
        if (seen.kind === "binary" && seen.operator === "in") read(seen.right);
        if (seen.kind === "list") for (const { spread, value } of seen.items) if (spread) read(value);
        if (seen.kind !== "invocation") return;
        if (seen.receiver !== undefined) read(seen.receiver);
        for (const { value } of seen.args) read(value);
      },
      statement({ does }) {
        if (does.kind === "for of") read(does.iterable);
      },
    });
  return found;
};

/**
 * The code that runs when this code runs: itself, and the functions that it calls or passes to built-ins. A
 * call of an unknown function may run any function that has no name or that is passed on.
 */
const runBy = (
  code: unknown,
  flows: Flows,
): readonly { readonly scope?: Scope; readonly body: unknown }[] => {
  const unknown = (): readonly Lambda[] => {
    const named = new Set(flows.functions.values());
    const passed = [...flows.functions].flatMap(([name, lambda]) =>
      flows.escaping.has(name) ? [lambda] : [],
    );
    return [...flows.lambdas.filter((one) => !named.has(one)), ...passed];
  };
  const found = new Set<Lambda>();
  const visit = (tree: unknown): void =>
    walk(tree, {
      expression(seen) {
        for (const callee of calledBy(seen)) {
          const known = callee.kind === "variable" ? flows.functions.get(callee.variable) : undefined;
          for (const lambda of known ? [known] : unknown()) {
            if (found.has(lambda)) continue;
            found.add(lambda);
            visit(lambda.body);
          }
        }
      },
    });
  visit(code);
  return [{ body: code }, ...found];
};

/** The functions that an expression runs itself, except those that are written in it. */
const calledBy = (expression: Expression): readonly Expression[] => {
  if (expression.kind === "call") return [expression.callee];
  const given = expression.kind === "invocation" ? expression.args.map(({ value }) => value) : [];
  return given.filter(
    ({ kind, type }) => type.kinds.includes("function") && kind !== "lambda" && kind !== "builtin",
  );
};

/** The facts that this file uses. */
interface Known {
  readonly flows: Flows;
  readonly origins: Origins;
}

const isSize = (name: string): boolean => name === "length" || name === "size";

/** The variables, properties and numbers that an expression consists of; undefined if it contains anything else. */
const partsOf = (expression: Expression): readonly Expression[] | undefined => {
  switch (expression.kind) {
    case "number":
    case "variable":
      return [expression];
    case "property": {
      const object = partsOf(expression.object);
      return object && [expression, ...object];
    }
    case "binary": {
      const [left, right] = [partsOf(expression.left), partsOf(expression.right)];
      return left && right && [...left, ...right];
    }
    default:
      return undefined;
  }
};

/** Arrays, maps and sets whose size statements may change. */
const resizedIn = (body: unknown, counter: Variable | "any index" | undefined): readonly Expression[] => {
  const found: Expression[] = [];
  walk(body, {
    expression(seen) {
      if (seen.kind !== "invocation" || seen.receiver === undefined) return;
      const row = translatedRow(seen.row);
      if (row?.resizes === true) found.push(seen.receiver);
    },
    statement(seen) {
      for (const target of seen.does.kind === "count" ? [] : targetsOf(seen)) {
        if (target.kind !== "element" || target.index.kind === "number" || counter === "any index") continue;
        if (target.index.kind === "variable" && target.index.variable === counter) continue;
        found.push(target.object);
      }
    },
  });
  return found;
};

/** Whether two expressions certainly denote different objects: of different kinds, or created in different places. */
const isDistinct = (a: Expression, b: Expression, origins: Origins): boolean =>
  a.type.kinds.every((kind) => !b.type.kinds.includes(kind)) || !origins.mayBeSame(a, b);
