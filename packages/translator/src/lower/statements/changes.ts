import { translatedRow } from "../../builtins/table.ts";
import type { Expression, Lambda, Pattern, Statement } from "../../ir/code.ts";
import type { Variable } from "../../ir/variable.ts";
import { walk } from "../../ir/walk.ts";
import type { Origins } from "../../ownership/origins.ts";
import type { Flows } from "../../ranges/flows.ts";

/** Variables that statements write to. */
export const writesIn = (body: unknown): ReadonlySet<Variable> => {
  const found = new Set<Variable>();
  const add = (pattern: Pattern): void => {
    if (pattern.kind === "place" && pattern.target.kind === "variable") found.add(pattern.target.variable);
    if (pattern.kind === "items")
      for (const part of [...pattern.items.map((item) => item?.pattern), pattern.rest])
        if (part !== undefined) add(part);
  };
  walk(body, {
    statement({ does }: Statement) {
      if (does.kind === "assign") add(does.target);
      if (does.kind === "count" && does.target.kind === "variable") found.add(does.target.variable);
      if (does.kind === "for of") add(does.pattern);
    },
  });
  return found;
};

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
  const called = calledIn(body, flows);
  const variables = parts.flatMap((part) => (part.kind === "variable" ? [part.variable] : []));
  const isWritten = (variable: Variable): boolean =>
    writes.has(variable) ||
    (variable.kind === "let" && called !== "none" && (flows.writes.get(variable)?.length ?? 0) > 1);
  if (variables.some(isWritten)) return false;
  if (parts.some((part) => part.kind === "property" && writesProperty(body, part.name))) return false;
  const measured = parts.flatMap((part) =>
    part.kind === "property" && isSize(part.name) ? [part.object] : [],
  );
  if (measured.length === 0) return true;
  const changed = resizedBy(body, called, flows, counter);
  return changed.every((one) => measured.every((other) => isDistinct(one, other, origins)));
};

/** Whether statements, or functions that they call, change the number of elements in an expression's value. */
export const isResizedIn = (thing: Expression, body: unknown, { flows, origins }: Known): boolean =>
  resizedBy(body, calledIn(body, flows), flows, undefined).some((one) => !isDistinct(one, thing, origins));

/** The facts that this file uses. */
interface Known {
  readonly flows: Flows;
  readonly origins: Origins;
}

const resizedBy = (
  body: unknown,
  called: ReturnType<typeof calledIn>,
  flows: Flows,
  counter: Variable | undefined,
): readonly Expression[] => {
  const others =
    called === "none" ? [] : called === "unknown" ? [...flows.functions.values(), ...flows.lambdas] : called;
  return [body, ...others.map((lambda) => lambda.body)].flatMap((inner) => resizedIn(inner, counter));
};

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

/** User functions that a body calls, directly or indirectly. */
const calledIn = (body: unknown, flows: Flows): readonly Lambda[] | "none" | "unknown" => {
  const found = new Set<Lambda>();
  let isUnknown = false;
  const visit = (tree: unknown): void =>
    walk(tree, {
      expression(seen) {
        if (seen.kind !== "call") return;
        const lambda =
          seen.callee.kind === "variable" ? flows.functions.get(seen.callee.variable) : undefined;
        if (lambda === undefined) isUnknown = true;
        else if (!found.has(lambda)) {
          found.add(lambda);
          visit(lambda.body);
        }
      },
    });
  visit(body);
  return isUnknown ? "unknown" : found.size === 0 ? "none" : [...found];
};

/** Arrays, maps and sets whose size statements may change. */
const resizedIn = (body: unknown, counter: Variable | undefined): readonly Expression[] => {
  const found: Expression[] = [];
  walk(body, {
    expression(seen) {
      if (seen.kind !== "invocation" || seen.receiver === undefined) return;
      const row = translatedRow(seen.row);
      if (row?.resizes === true) found.push(seen.receiver);
    },
    statement({ does }) {
      const target = does.kind === "assign" && does.target.kind === "place" ? does.target.target : undefined;
      if (target?.kind !== "element" || target.index.kind === "number") return;
      if (target.index.kind === "variable" && target.index.variable === counter) return;
      found.push(target.object);
    },
  });
  return found;
};

/** Whether two expressions certainly denote different objects: of different kinds, or created in different places. */
const isDistinct = (a: Expression, b: Expression, origins: Origins): boolean =>
  a.type.kinds.every((kind) => !b.type.kinds.includes(kind)) || !origins.mayBeSame(a, b);

const writesProperty = (body: unknown, name: string): boolean => {
  let found = false;
  walk(body, {
    statement({ does }) {
      if (
        does.kind === "assign" &&
        does.target.kind === "place" &&
        does.target.target.kind === "property" &&
        does.target.target.name === name
      )
        found = true;
      if (does.kind === "count" && does.target.kind === "property" && does.target.name === name) found = true;
    },
  });
  return found;
};
