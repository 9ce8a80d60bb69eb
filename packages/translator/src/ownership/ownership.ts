import { translatedRow } from "../builtins/table.ts";
import type { Declaration, Expression, Lambda, Pattern, Statement } from "../ir/code.ts";
import { isShared, type ValueType } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import { boundIn, walk } from "../ir/walk.ts";
import type { Flows } from "../ranges/flows.ts";

/** Who else may hold a value: `self` the thing itself, `inside` the things in it. */
interface Held {
  readonly self: boolean;
  readonly inside: boolean;
}
const free: Held = { self: false, inside: false };
const held: Held = { self: true, inside: true };
const both = (a: Held, b: Held): Held => ({ self: a.self || b.self, inside: a.inside || b.inside });

/**
 * Which values belong to the inputs or to constants of the module. Variables start as free and grow with what is written to them:
 * what is reached from an input stays the input's; a copy is free, what is in the copy is not.
 */
export const holdersOf = (
  declarations: readonly Declaration[],
  flows: Flows,
  run: Variable,
): ((expression: Expression) => boolean) => {
  const variables = new Map<Variable, Held>();
  const returns = new Map<Variable, Held>();
  for (const { variable, value } of declarations) if (value.kind !== "lambda") variables.set(variable, held);
  const entry = flows.functions.get(run)?.parameters[0]?.pattern;
  if (entry !== undefined) for (const { variable } of boundIn(entry)) variables.set(variable, held);
  const ofVariable = (variable: Variable): Held =>
    isShared(variable.type) ? (variables.get(variable) ?? free) : free;
  const of = (expression: Expression): Held => {
    if (!isShared(expression.type)) return free;
    const found = ofShared(expression);
    return found.inside && !holdsShared(expression.type) ? { self: found.self, inside: false } : found;
  };
  const ofShared = (expression: Expression): Held => {
    switch (expression.kind) {
      case "variable":
        return ofVariable(expression.variable);
      case "property":
      case "element": {
        const { inside } = of(expression.object);
        return { self: inside, inside };
      }
      case "list":
        return inside(expression.items.map(({ spread, value }) => (spread ? element(of(value)) : of(value))));
      case "record":
        return inside(
          expression.entries.map((part) => ("spread" in part ? element(of(part.spread)) : of(part.value))),
        );
      case "conditional":
        return both(of(expression.whenTrue), of(expression.otherwise));
      case "logical":
        return both(of(expression.left), of(expression.right));
      case "chain":
        add(expression.held, of(expression.object));
        return of(expression.link);
      case "call":
        return expression.callee.kind === "variable" && flows.functions.has(expression.callee.variable)
          ? (returns.get(expression.callee.variable) ?? free)
          : all(expression.args.map(({ value }) => of(value)));
      case "invocation":
        return ofInvocation(expression);
      default:
        return free;
    }
  };
  const ofInvocation = (call: Expression & { readonly kind: "invocation" }): Held => {
    const row = translatedRow(call.row);
    const isFresh = row?.fresh === true;
    const lambda = call.args.map(({ value }) => value).find((value) => value.kind === "lambda");
    if (isFresh && lambda?.kind === "lambda" && makers.test(call.row)) {
      const made = all(returnedBy(lambda).map(of));
      return { self: false, inside: made.self || made.inside };
    }
    const parts = [
      ...(call.receiver === undefined ? [] : [call.receiver]),
      ...call.args.map(({ value }) => value),
    ];
    const made = all(parts.map(of));
    if (isFresh) return { self: false, inside: made.inside };
    if (row?.changes === true && call.receiver !== undefined) return of(call.receiver);
    return { self: made.inside, inside: made.inside };
  };
  let changed = true;
  const add = (variable: Variable, more: Held): void => {
    const before = variables.get(variable) ?? free;
    const after = both(before, more);
    if (after.self === before.self && after.inside === before.inside) return;
    variables.set(variable, after);
    changed = true;
  };
  const bind = (pattern: Pattern, value: Held): void => {
    if (pattern.kind === "bind") add(pattern.variable, value);
    else if (pattern.kind === "place") put(pattern.target, value);
    else {
      const parts = pattern.kind === "items" ? pattern.items : pattern.fields;
      for (const part of parts)
        if (part !== undefined) bind(part.pattern, { self: value.inside, inside: value.inside });
      if (pattern.rest !== undefined) bind(pattern.rest, { self: false, inside: value.inside });
    }
  };
  /** What is put into something is from then on inside of it. */
  const put = (target: Expression, value: Held): void => {
    if (target.kind === "variable") add(target.variable, value);
    else if (target.kind === "property" || target.kind === "element")
      put(target.object, { self: false, inside: value.self || value.inside });
  };
  const statement = ({ does }: Statement): void => {
    if (does.kind === "declare" && does.value !== undefined) bind(does.pattern, of(does.value));
    if (does.kind === "assign") bind(does.target, of(does.value));
    if (does.kind === "for of") bind(does.pattern, element(of(does.iterable)));
  };
  const expression = (seen: Expression): void => {
    if (seen.kind === "call" && seen.callee.kind === "variable") {
      const lambda = flows.functions.get(seen.callee.variable);
      for (const [at, { value }] of seen.args.entries()) {
        const parameter = lambda?.parameters[at];
        if (parameter !== undefined) bind(parameter.pattern, of(value));
      }
    }
    if (seen.kind !== "invocation") return;
    for (const { value } of seen.args) {
      if (value.kind === "lambda" && seen.receiver !== undefined)
        for (const { pattern } of value.parameters) bind(pattern, element(of(seen.receiver)));
      else if (seen.receiver !== undefined && value.kind !== "lambda") {
        const row = translatedRow(seen.row);
        const more = of(value);
        if (row?.changes === true) put(seen.receiver, { self: false, inside: more.self || more.inside });
      }
    }
  };
  while (changed) {
    changed = false;
    walk(declarations, { statement, expression });
    for (const [variable, values] of flows.returns) {
      const before = returns.get(variable) ?? free;
      const after = values.reduce((sum, value) => (value === undefined ? sum : both(sum, of(value))), before);
      if (after.self !== before.self || after.inside !== before.inside) {
        returns.set(variable, after);
        changed = true;
      }
    }
  }
  return (seen) => of(seen).self;
};

/** Rows whose result holds what a callback returns. */
const makers = /\.(?:map|flatMap|from)$/;

const returnedBy = (lambda: Lambda): readonly Expression[] => {
  const found: Expression[] = [];
  walk(lambda.body, {
    statement({ does }) {
      if (does.kind === "return" && does.value !== undefined) found.push(does.value);
    },
  });
  return found;
};

/** Whether things in a value can be changed through it. */
const holdsShared = (type: ValueType): boolean =>
  type.kinds.includes("unknown") ||
  (type.element !== undefined && isShared(type.element)) ||
  (type.items?.some(isShared) ?? false) ||
  (type.index !== undefined && isShared(type.index)) ||
  [...(type.fields?.values() ?? [])].some((field) => isShared(field.type));

const inside = (parts: readonly Held[]): Held => ({
  self: false,
  inside: parts.some((part) => part.self || part.inside),
});
const element = ({ inside: isInside }: Held): Held => ({ self: isInside, inside: isInside });
const all = (parts: readonly Held[]): Held => parts.reduce(both, free);
