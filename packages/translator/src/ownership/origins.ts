import { translatedRow } from "../builtins/table.ts";
import type { Declaration, Expression, Invocation, Lambda, Pattern, Statement } from "../ir/code.ts";
import { isShared, type Kind, type ValueType } from "../ir/value-type.ts";
import { functionScope, liesIn, type Variable } from "../ir/variable.ts";
import { boundIn, walk } from "../ir/walk.ts";
import { type Flows, returnedBy } from "../ranges/flows.ts";

/** The origin of an object: the expression that creates it, the inputs, or an unknown place. */
export interface Origin {
  readonly made: Expression | "inputs" | "anywhere";
  /** Origins of its contents. */
  readonly holds: Set<Origin>;
}

/** The origins of the objects that expressions denote. */
export interface Origins {
  readonly of: (expression: Expression) => ReadonlySet<Origin>;
  /** Registers a variable with which the translator replaces an expression. */
  readonly name: (variable: Variable, expression: Expression) => void;
  /** Whether two expressions may refer to the same object. */
  readonly mayBeSame: (a: Expression, b: Expression) => boolean;
}

/**
 * Points-to analysis. Each expression that creates an object is an origin, and so is each call of a function whose
 * result is not stored elsewhere. Sets of origins grow until nothing changes. The order of statements and the names of
 * properties are ignored.
 */
export const originsOf = (declarations: readonly Declaration[], flows: Flows, run: Variable): Origins => {
  const variables = new Map<Variable, Set<Origin>>();
  const returned = new Map<Lambda, Set<Origin>>();
  const origins = new Map<Expression, Origin>();
  const pairs = new Map<Origin, Origin>();
  const clones = new Map<Expression, Map<Origin, Origin>>();
  /** The calls that created a clone, innermost first. */
  const chains = new Map<Origin, readonly Expression[]>();
  const anywhere: Origin = { made: "anywhere", holds: new Set() };
  anywhere.holds.add(anywhere);
  const inputs: Origin = { made: "inputs", holds: new Set() };
  inputs.holds.add(inputs);
  const kept = keptVariables(declarations, flows);
  const around = lambdasAround(flows);
  let changed = true;
  const put = (into: Set<Origin>, more: Iterable<Origin>): void => {
    for (const one of more)
      if (!into.has(one)) {
        into.add(one);
        changed = true;
      }
  };
  const madeBy = (expression: Expression): Origin =>
    madeOnce(origins, expression, () => ({ made: expression, holds: new Set() }));
  const making = (expression: Expression, holds: Iterable<Origin>): ReadonlySet<Origin> => {
    const origin = madeBy(expression);
    put(origin.holds, holds);
    return new Set([origin]);
  };
  const inside = (things: Iterable<Origin>): ReadonlySet<Origin> =>
    new Set([...things].flatMap(({ holds }) => [...holds]));
  const ofVariable = (variable: Variable): Set<Origin> => madeOnce(variables, variable, () => new Set());
  const of = (expression: Expression): ReadonlySet<Origin> => {
    if (!isTracked(expression.type)) return new Set();
    switch (expression.kind) {
      case "variable":
        return ofVariable(expression.variable);
      case "property":
      case "element":
        return inside(of(expression.object));
      case "list":
        return making(
          expression,
          expression.items.flatMap(({ spread, value }) => [...(spread ? elementsOf(value) : of(value))]),
        );
      case "record":
        return making(
          expression,
          expression.entries.flatMap((entry) => [
            ...("spread" in entry ? inside(of(entry.spread)) : of(entry.value)),
          ]),
        );
      case "effect": {
        const { does } = expression.statement;
        return does.kind !== "assign"
          ? new Set()
          : union(of(does.value), does.target.kind === "place" ? of(does.target.target) : new Set());
      }
      case "conditional":
        return union(of(expression.whenTrue), of(expression.otherwise));
      case "logical":
        return union(of(expression.left), of(expression.right));
      case "chain":
        put(ofVariable(expression.held), of(expression.object));
        return of(expression.link);
      case "call":
        return ofCall(expression);
      case "invocation":
        return ofInvocation(expression);
      case "regexp":
        return new Set([madeBy(expression)]);
      case "builtin":
      case "refused":
        return new Set([anywhere]);
      default:
        return new Set();
    }
  };
  const calledBy = (call: Expression & { readonly kind: "call" }): Lambda | undefined =>
    call.callee.kind === "variable" ? flows.functions.get(call.callee.variable) : undefined;
  const ofCall = (call: Expression & { readonly kind: "call" }): ReadonlySet<Origin> => {
    const lambda = calledBy(call);
    if (lambda === undefined) return new Set([anywhere]);
    const results = returned.get(lambda) ?? new Set<Origin>();
    if (results.size === 0) return results;
    const given = givenAway(results, lambda);
    if (given.size === 0) return results;
    const clones = clonesOf(call);
    const cloneOf = (origin: Origin): Origin => {
      const chain = chains.get(origin) ?? [];
      // A recursive function would create infinitely many origins, so those of further calls are treated as one.
      if (!given.has(origin) || chain.includes(call) || chain.length === longestChain) return origin;
      const found = clones.get(origin) ?? { made: call, holds: new Set<Origin>() };
      clones.set(origin, found);
      chains.set(found, [...chain, call]);
      return found;
    };
    for (const origin of given) put(cloneOf(origin).holds, [...origin.holds].map(cloneOf));
    return new Set([...results].map(cloneOf));
  };
  /** The separate origins of a call, keyed by the origin in the function. */
  const clonesOf = (call: Expression): Map<Origin, Origin> => madeOnce(clones, call, () => new Map());
  /** The objects that a function creates and returns without storing them, including objects inside its results. */
  const givenAway = (results: ReadonlySet<Origin>, lambda: Lambda): ReadonlySet<Origin> => {
    const found = new Set<Origin>();
    const reach = (origin: Origin): void => {
      if (found.has(origin) || typeof origin.made === "string") return;
      if (around.get(origin.made)?.has(lambda) !== true) return;
      found.add(origin);
      for (const held of origin.holds) reach(held);
    };
    for (const origin of results) reach(origin);
    const keep = (origin: Origin): void => {
      if (found.delete(origin)) for (const held of origin.holds) keep(held);
    };
    for (const [variable, things] of variables)
      if (kept.has(variable) || !isLocal(variable, lambda)) for (const origin of things) keep(origin);
    for (let before = -1; before !== found.size; ) {
      before = found.size;
      for (const holder of everything())
        if (!found.has(holder)) for (const origin of holder.holds) keep(origin);
    }
    return found;
  };
  const everything = (): readonly Origin[] => [
    ...origins.values(),
    ...pairs.values(),
    ...[...clones.values()].flatMap((of) => [...of.values()]),
    inputs,
    anywhere,
  ];
  /** Whether a variable is local to a call: declared in the function, or in an unrelated function. */
  const isLocal = (variable: Variable, lambda: Lambda): boolean =>
    liesIn(variable.scope, lambda.scope) ||
    (variable.kind !== "module" && !liesIn(lambda.scope, functionScope(variable.scope)));
  /** The values produced by iteration. */
  const elementsOf = (iterable: Expression): ReadonlySet<Origin> => {
    const things = of(iterable);
    return iterable.type.kinds.includes("map") ? new Set([...things].map(pairOf)) : inside(things);
  };
  const pairOf = (map: Origin): Origin => {
    const found = madeOnce(pairs, map, (): Origin => ({ made: map.made, holds: new Set() }));
    put(found.holds, map.holds);
    return found;
  };
  const ofInvocation = (call: Invocation): ReadonlySet<Origin> => {
    const row = translatedRow(call.row);
    const given = call.args.flatMap(({ value }) =>
      value.kind === "lambda" ? [...returnsOf(value)] : [...of(value)],
    );
    const receiver = call.receiver === undefined ? [] : [...of(call.receiver)];
    if (/^map\.(?:values|keys)$|^(?:set|array|typed)\.(?:values|keys)$/.test(call.row))
      return new Set(receiver);
    if (call.row.endsWith(".entries") && call.receiver !== undefined)
      return making(call, receiver.map(pairOf));
    const parts = [...inside(receiver), ...given, ...inside(given)];
    if (row?.deep === true) return making(call, [madeBy(call)]);
    if (row?.fresh === true)
      return making(call, call.row.endsWith(".flat") ? [...parts, ...inside(parts)] : parts);
    if (row?.changes === true) return new Set([...receiver, ...parts]);
    if (/^JSON\.parse$|^string\.|^regexp\./.test(call.row)) {
      const made = madeBy(call);
      return making(call, [made]);
    }
    return new Set([...receiver, ...parts]);
  };
  const returnsOf = (lambda: Lambda): Set<Origin> => madeOnce(returned, lambda, () => new Set());
  const bind = (pattern: Pattern, things: ReadonlySet<Origin>): void => {
    if (pattern.kind === "bind") put(ofVariable(pattern.variable), things);
    else if (pattern.kind === "place") store(pattern.target, things);
    else {
      const parts = pattern.kind === "items" ? pattern.items : pattern.fields;
      for (const part of parts) {
        if (part === undefined) continue;
        bind(part.pattern, inside(things));
        if (part.fallback !== undefined) bind(part.pattern, of(part.fallback));
      }
      // The rest is a new object, but only its contents matter, so it is treated like the whole.
      if (pattern.rest !== undefined) bind(pattern.rest, things);
    }
  };
  const store = (target: Expression, things: ReadonlySet<Origin>): void => {
    if (target.kind === "variable") put(ofVariable(target.variable), things);
    else if (target.kind === "property" || target.kind === "element")
      for (const object of of(target.object)) put(object.holds, things);
  };
  const statement = ({ does }: Statement): void => {
    if (does.kind === "declare" && does.value !== undefined) bind(does.pattern, of(does.value));
    if (does.kind === "assign") bind(does.target, of(does.value));
    if (does.kind === "for of") bind(does.pattern, elementsOf(does.iterable));
  };
  const expression = (seen: Expression): void => {
    if (seen.kind === "call") return giveArguments(seen);
    if (seen.kind === "invocation") return giveBack(seen);
    if (seen.kind === "lambda")
      for (const { pattern, fallback } of seen.parameters)
        if (fallback !== undefined) bind(pattern, of(fallback));
  };
  const giveArguments = (call: Expression & { readonly kind: "call" }): void => {
    const lambda = calledBy(call);
    const all = call.args.flatMap(({ spread, value }) => [...(spread ? elementsOf(value) : of(value))]);
    const isPlain = call.args.every(({ spread }) => !spread);
    for (const [at, { pattern, rest }] of (lambda?.parameters ?? []).entries()) {
      const value = call.args[at]?.value;
      if (rest || !isPlain) bind(pattern, rest ? new Set([...all, ...making(call, all)]) : new Set(all));
      else if (value !== undefined) bind(pattern, of(value));
    }
    if (lambda === undefined) put(anywhere.holds, all);
    for (const { value } of call.args) if (value.kind === "lambda") openTo(value);
  };
  /** A function that is passed on may be called with any arguments. */
  const openTo = ({ parameters }: Lambda): void => {
    for (const { pattern } of parameters)
      for (const { variable } of boundIn(pattern))
        if (isTracked(variable.type)) put(ofVariable(variable), [anywhere]);
  };
  const giveBack = (call: Invocation): void => {
    const receiver = call.receiver === undefined ? [] : [...of(call.receiver)];
    const values = call.args.flatMap(({ spread, value }) =>
      value.kind === "lambda"
        ? []
        : [...of(value), ...(spread || call.row === "record.assign" ? inside(of(value)) : [])],
    );
    if (translatedRow(call.row)?.changes === true) for (const one of receiver) put(one.holds, values);
    const sources = [...receiver, ...values];
    for (const { value } of call.args) {
      if (value.kind !== "lambda") continue;
      const given = new Set([
        ...sources,
        ...inside(sources),
        ...returnsOf(value),
        ...[...receiver].map(pairOf),
      ]);
      for (const { pattern } of value.parameters) bind(pattern, given);
    }
  };
  const entry = flows.functions.get(run)?.parameters[0]?.pattern;
  if (entry !== undefined) for (const { variable } of boundIn(entry)) put(ofVariable(variable), [inputs]);
  for (const [variable, lambda] of flows.functions)
    if (flows.escaping.has(variable) && variable !== run) openTo(lambda);
  while (changed) {
    changed = false;
    for (const { variable, value } of declarations)
      if (value.kind !== "lambda") put(ofVariable(variable), of(value));
    walk(declarations, { statement, expression });
    for (const lambda of flows.lambdas)
      for (const value of returnedBy(lambda)) if (value !== undefined) put(returnsOf(lambda), of(value));
  }
  return {
    of,
    name: (variable, expression) => void variables.set(variable, new Set(of(expression))),
    mayBeSame(a, b) {
      const [one, other] = [of(a), of(b)];
      return (
        [...one].some((origin) => other.has(origin) || (origin === anywhere && other.size > 0)) ||
        (other.has(anywhere) && one.size > 0)
      );
    },
  };
};

/** The value of a key, which is computed on first use. */
const madeOnce = <K, V>(known: Map<K, V>, key: K, make: () => V): V => {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
};

/** Maximum depth of calls whose results are distinguished. */
const longestChain = 3;

/** Whether values of a type are tracked: mutable objects, and patterns, whose source must be known. */
const isTracked = (type: ValueType): boolean =>
  isShared(type) || type.kinds.some((kind) => followed.has(kind));
const followed: ReadonlySet<Kind> = new Set(["regexp", "match"]);

const union = <T>(a: ReadonlySet<T>, b: ReadonlySet<T>): ReadonlySet<T> => new Set([...a, ...b]);

/** The functions that enclose each expression. */
const lambdasAround = ({ lambdas }: Flows): ReadonlyMap<Expression, ReadonlySet<Lambda>> => {
  const found = new Map<Expression, Set<Lambda>>();
  for (const lambda of lambdas)
    walk(lambda.body, {
      expression(seen) {
        const around = found.get(seen) ?? new Set();
        around.add(lambda);
        found.set(seen, around);
      },
    });
  return found;
};

/** Variables of functions that outlive the call: those returned, stored or passed to the user's functions. */
const keptVariables = (declarations: readonly Declaration[], flows: Flows): ReadonlySet<Variable> => {
  const atOnce = new Set<Lambda>();
  walk(declarations, {
    expression(seen) {
      if (seen.kind === "invocation")
        for (const { value } of seen.args) if (value.kind === "lambda") atOnce.add(value);
    },
  });
  for (const [variable, lambda] of flows.functions) if (!flows.escaping.has(variable)) atOnce.add(lambda);
  const kept = new Set<Variable>();
  for (const lambda of flows.lambdas)
    if (!atOnce.has(lambda))
      walk(lambda.body, {
        expression: (seen) =>
          void (
            seen.kind === "variable" &&
            !liesIn(seen.variable.scope, lambda.scope) &&
            kept.add(seen.variable)
          ),
      });
  return kept;
};
