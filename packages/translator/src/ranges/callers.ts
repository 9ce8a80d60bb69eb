import type { Declaration, Expression, Item, Lambda, Statement } from "../ir/code.ts";
import { kindOf } from "../ir/value-type.ts";
import type { Scope, Variable } from "../ir/variable.ts";
import { walk } from "../ir/walk.ts";

/** The minimum and maximum number of arguments in the calls of a function. */
export interface Called {
  readonly least: number;
  /** Infinity if a call spreads a list. */
  readonly most: number;
}

/** Information about the calls of the functions in the gathered code. */
export interface Callers {
  /** The calls to the function with this scope; undefined if it is only called by a built-in, as a callback. */
  readonly of: (scope: Scope) => Called | undefined;
  /** Maximum number of parameters of any value of a function type, i.e. of functions that are stored or passed on. */
  readonly widest: number;
}

/**
 * Counts arguments, because Python neither drops additional arguments nor passes undefined for missing ones. Any call of
 * an unknown function may call a function that is stored or passed on.
 */
export const callersOf = (declarations: readonly Declaration[], run: Variable): Callers => {
  const known = knownFunctions(declarations);
  const direct = new Map<Variable, Called>([[run, { least: 1, most: 1 }]]);
  const kept = new Set<Variable>();
  const lambdas = new Set<Lambda>(known.values());
  const found = new Map<Scope, Called>();
  const passed = new Set<Lambda>();
  const handled = new Set<Expression>();
  let unknown: Called | undefined;
  const call = (callee: Expression, called: Called): void => {
    handled.add(callee);
    if (callee.kind === "variable" && known.has(callee.variable))
      direct.set(callee.variable, both(called, direct.get(callee.variable)));
    else unknown = both(called, unknown);
  };
  const expression = (seen: Expression): void => {
    if (seen.kind === "lambda") lambdas.add(seen);
    else if (seen.kind === "call") call(seen.callee, calledWith(seen.args));
    else if (seen.kind === "invocation")
      for (const { value } of seen.args) {
        if (value.kind === "lambda") passed.add(value);
        else if (kindOf(value.type) === "function" && value.kind !== "builtin") {
          const count = passedBy(seen.row, value.type.parameters?.length ?? 0);
          call(value, { least: count, most: count });
        }
      }
    else if (seen.kind === "variable" && !handled.has(seen)) kept.add(seen.variable);
  };
  walk(declarations, { expression });
  for (const [variable, { scope, parameters }] of known) {
    const named = direct.get(variable) ?? { least: parameters.length, most: 0 };
    found.set(scope, kept.has(variable) ? both(named, unknown) : named);
  }
  const named = new Set(known.values());
  const others = [...lambdas].filter((lambda) => !named.has(lambda) && !passed.has(lambda));
  for (const { scope } of others) if (unknown !== undefined) found.set(scope, unknown);
  const free = [
    ...others,
    ...[...known].flatMap(([variable, lambda]) => (kept.has(variable) ? [lambda] : [])),
  ];
  return { of: (scope) => found.get(scope), widest: Math.max(0, ...free.map(widthOf)) };
};

/** Functions by the name that always refers to them. */
const knownFunctions = (declarations: readonly Declaration[]): ReadonlyMap<Variable, Lambda> => {
  const known = new Map<Variable, Lambda>();
  for (const { variable, value } of declarations) if (value.kind === "lambda") known.set(variable, value);
  walk(declarations, {
    statement({ does }: Statement) {
      if (does.kind === "function") known.set(does.variable, does.lambda);
    },
  });
  return known;
};

export const widthOf = ({ parameters }: Lambda): number =>
  parameters.some(({ rest }) => rest) ? Infinity : parameters.length;

const calledWith = (args: readonly Item[]): Called => {
  const least = args.filter(({ spread }) => !spread).length;
  return { least, most: least === args.length ? least : Infinity };
};

const both = (a: Called, b: Called | undefined): Called =>
  b === undefined ? a : { least: Math.min(a.least, b.least), most: Math.max(a.most, b.most) };

/** The number of arguments that a built-in passes in Python to a callback with this number of parameters. */
const passedBy = (row: string, parameters: number): number => {
  if (/^array\.(?:sort|toSorted)$/.test(row)) return 2;
  if (/^array\.reduce(?:Right)?$/.test(row)) return Math.max(parameters, 2);
  return /^string\.replace(?:All)?$/.test(row) ? 1 : parameters;
};
