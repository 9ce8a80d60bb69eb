import { translatedRow } from "../builtins/table.ts";
import type { Declaration, Expression, Lambda, Pattern, Statement } from "../ir/code.ts";
import { isShared, type ValueType } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import { boundIn, walk } from "../ir/walk.ts";
import { type Flows, returnedBy } from "../ranges/flows.ts";

/** The depth of the first shared object in a value: 0 for the value, 1 for the objects in it, Infinity for none. */
type Held = number;
const free: Held = Infinity;
const held: Held = 0;
const deepest = 6;
const both = (a: Held, b: Held): Held => Math.min(a, b);
/** The depth of the first shared object in an element of a value. */
const element = (depth: Held): Held => Math.max(depth - 1, 0);
/** The depth of the first shared object in a new object that contains the value. */
const around = (depth: Held): Held => (depth === free ? free : Math.min(depth + 1, deepest));
/** The depth of the first shared object in a shallow copy of the value. */
const copied = (depth: Held): Held => Math.max(depth, 1);

/**
 * Finds the values that belong to the inputs or to module constants. Variables start as free, and are updated with each
 * value that is written to them until nothing changes. Anything reached from an input belongs to the input. A copy is
 * free, but its contents are not. `own`: inputs that are created for each row. `sharing`: whether an array with a
 * `subarray`, and the `subarray`, count as well.
 */
export const holdersOf = (
  declarations: readonly Declaration[],
  flows: Flows,
  run: Variable,
  own: ReadonlySet<string>,
  sharing: boolean,
): ((expression: Expression) => boolean) => {
  const variables = new Map<Variable, Held>();
  const returns = new Map<Variable, Held>();
  for (const { variable, value } of declarations) if (value.kind !== "lambda") variables.set(variable, held);
  const entry = flows.functions.get(run)?.parameters[0]?.pattern;
  const isRow = (expression: Expression): boolean =>
    expression.kind === "variable" && entry?.kind === "bind" && expression.variable === entry.variable;
  const hold = (pattern: Pattern): void => {
    for (const { variable } of boundIn(pattern)) variables.set(variable, held);
  };
  if (entry?.kind === "fields") {
    for (const { name, pattern } of entry.fields) if (!own.has(name)) hold(pattern);
    if (entry.rest !== undefined) hold(entry.rest);
  } else if (entry !== undefined) hold(entry);
  /** A variable that holds a part → the variable of the whole, which also contains values put into the part. */
  const wholes = new Map<Variable, Variable>();
  const ofVariable = (variable: Variable): Held =>
    isShared(variable.type) ? (variables.get(variable) ?? free) : free;
  const of = (expression: Expression): Held => {
    if (!isShared(expression.type)) return free;
    const found = ofShared(expression);
    return found > 0 && !holdsShared(expression.type) ? free : found;
  };
  const ofShared = (expression: Expression): Held => {
    switch (expression.kind) {
      case "variable":
        return ofVariable(expression.variable);
      case "property":
        return isRow(expression.object) && own.has(expression.name) ? free : element(of(expression.object));
      case "element":
        return element(of(expression.object));
      case "list":
        return all(
          expression.items.map(({ spread, value }) => (spread ? copied(of(value)) : around(of(value)))),
        );
      case "record":
        return all(
          expression.entries.map((part) =>
            "spread" in part ? copied(of(part.spread)) : around(of(part.value)),
          ),
        );
      case "effect": {
        const { does } = expression.statement;
        return does.kind !== "assign"
          ? free
          : both(of(does.value), does.target.kind === "place" ? of(does.target.target) : free);
      }
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
  const ofReturned = (lambda: Lambda): Held =>
    all(returnedBy(lambda).map((value) => (value === undefined ? free : of(value))));
  const ofInvocation = (call: Expression & { readonly kind: "invocation" }): Held => {
    const row = translatedRow(call.row);
    if (sharing && views.test(call.row)) {
      const viewed = call.receiver && rootOf(call.receiver);
      if (viewed !== undefined) add(viewed, held);
      return held;
    }
    if (row?.deep === true) return free;
    if (call.row === "map.get" && call.receiver !== undefined) return element(of(call.receiver));
    const isFresh = row?.fresh === true;
    const lambda = call.args.map(({ value }) => value).find((value) => value.kind === "lambda");
    if (isFresh && lambda?.kind === "lambda" && makers.test(call.row)) {
      const returned = ofReturned(lambda);
      return call.row.endsWith(".flatMap") ? copied(returned) : around(returned);
    }
    if (folds.test(call.row) && lambda?.kind === "lambda")
      return all([
        ofReturned(lambda),
        ...(call.args[1] === undefined ? [element(of(call.receiver ?? lambda))] : [of(call.args[1].value)]),
      ]);
    const parts = [
      ...(call.receiver === undefined ? [] : [call.receiver]),
      ...call.args.map(({ value }) => value),
    ];
    const made = all(parts.map(of));
    if (made === free) return free;
    if (fromPairs.test(call.row)) return copied(element(made));
    if (isFresh) return keepsDepth.test(call.row) ? copied(made) : 1;
    if (iterators.test(call.row)) return call.row === "map.entries" ? around(made) : made;
    if (row?.changes === true && call.receiver !== undefined) return of(call.receiver);
    return element(made);
  };
  let changed = true;
  const add = (variable: Variable, more: Held): void => {
    const before = variables.get(variable) ?? free;
    const after = both(before, more);
    if (after === before) return;
    variables.set(variable, after);
    changed = true;
    const whole = wholes.get(variable);
    if (whole !== undefined) add(whole, around(after));
  };
  const bind = (pattern: Pattern, value: Held, isOwn = false): void => {
    if (pattern.kind === "bind") add(pattern.variable, value);
    else if (pattern.kind === "place") put(pattern.target, value);
    else {
      const parts = pattern.kind === "items" ? pattern.items : pattern.fields;
      for (const part of parts)
        if (part !== undefined)
          bind(part.pattern, isOwn && "name" in part && own.has(part.name as string) ? free : element(value));
      if (pattern.rest !== undefined) bind(pattern.rest, copied(value));
    }
  };
  /** A value that is put into another one belongs to it from then on. */
  const put = (target: Expression, value: Held): void => {
    if (target.kind === "variable") add(target.variable, value);
    else if (target.kind === "property" || target.kind === "element") put(target.object, around(value));
  };
  const statement = ({ does }: Statement): void => {
    if (does.kind === "declare" && does.value !== undefined) {
      const whole = does.pattern.kind === "bind" ? wholeOf(does.value) : undefined;
      if (does.pattern.kind === "bind" && whole !== undefined) wholes.set(does.pattern.variable, whole);
      bind(does.pattern, of(does.value), isRow(does.value));
    }
    if (does.kind === "assign") bind(does.target, of(does.value));
    if (does.kind === "for of") {
      const iterated = of(does.iterable);
      bind(does.pattern, does.iterable.type.kinds.includes("map") ? iterated : element(iterated));
    }
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
    // The key of a map is a string or a number.
    for (const { value, spread } of seen.row === "map.set" ? seen.args.slice(1) : seen.args) {
      if (value.kind === "lambda" && seen.receiver !== undefined) bindCallback(seen, value);
      else if (seen.receiver !== undefined && value.kind !== "lambda") {
        const row = translatedRow(seen.row);
        if (row?.changes === true)
          put(seen.receiver, spread ? copied(of(value)) : changesBy(seen.row, of(value)));
      }
    }
  };
  /** Binds a callback's parameters: elements, or the accumulated value of `reduce`. */
  const bindCallback = (call: Expression & { readonly kind: "invocation" }, lambda: Lambda): void => {
    const receiver = call.receiver === undefined ? free : of(call.receiver);
    const start = call.args[1]?.value;
    const given = folds.test(call.row)
      ? [
          all([ofReturned(lambda), start === undefined ? element(receiver) : of(start)]),
          element(receiver),
          free,
          receiver,
        ]
      : [element(receiver), /^(?:map|set)\.forEach$/.test(call.row) ? element(receiver) : free, receiver];
    for (const [at, { pattern }] of lambda.parameters.entries()) bind(pattern, given[at] ?? free);
  };
  while (changed) {
    changed = false;
    walk(declarations, { statement, expression });
    for (const [variable, values] of flows.returns) {
      const before = returns.get(variable) ?? free;
      const after = values.reduce((sum, value) => (value === undefined ? sum : both(sum, of(value))), before);
      if (after !== before) {
        returns.set(variable, after);
        changed = true;
      }
    }
  }
  return (seen) => of(seen) === held;
};

/** The variable of which an expression reads a part. */
const wholeOf = (expression: Expression): Variable | undefined => {
  switch (expression.kind) {
    case "property":
    case "element":
    case "chain":
      return rootOf(expression.object);
    case "logical":
      return wholeOf(expression.left);
    case "invocation":
      return translatedRow(expression.row)?.fresh === true || expression.receiver === undefined
        ? undefined
        : rootOf(expression.receiver);
    default:
      return undefined;
  }
};
/** The variable of which an expression is a part, or that it is. */
export const rootOf = (expression: Expression): Variable | undefined =>
  expression.kind === "variable" ? expression.variable : wholeOf(expression);

/** The values that a table row puts into its receiver: its arguments, or their contents. */
const changesBy = (row: string, given: Held): Held =>
  row === "record.assign" ? copied(given) : around(given);

/** Table rows that return the last result of a callback. */
const folds = /\.reduce(?:Right)?$/;

/** Table rows that create a new object with the same elements. */
const keepsDepth =
  /\.(?:slice|filter|toSorted|toReversed|concat|with|toSpliced)$|^new Set$|^Array\.from$|^Object\.(?:values|entries)$/;
/** Table rows that build a collection from the contents of pairs. */
const fromPairs = /^new Map$|^Object\.fromEntries$/;
/** Table rows whose result shares memory with the receiver. It is a copy in Python, so neither may be changed. */
const views = /^typed\.subarray$/;
const iterators = /^(?:map|set|array)\.(?:values|keys|entries)$/;

/** Table rows whose result contains the results of a callback. */
const makers = /\.(?:map|flatMap|from)$/;

/** Whether objects inside a value can be changed through it. */
const holdsShared = (type: ValueType): boolean =>
  type.kinds.includes("unknown") ||
  (type.element !== undefined && isShared(type.element)) ||
  (type.items?.some(isShared) ?? false) ||
  (type.index !== undefined && isShared(type.index)) ||
  [...(type.fields?.values() ?? [])].some((field) => isShared(field.type));

const all = (parts: readonly Held[]): Held => parts.reduce(both, free);
