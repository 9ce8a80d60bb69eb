import { builtins } from "../builtins/table.ts";
import type { Declaration, Expression, Lambda, Pattern, PatternPart, Statement } from "../ir/code.ts";
import type { Variable } from "../ir/variable.ts";
import { boundIn, walk } from "../ir/walk.ts";
import { anyNumber, type Num } from "./num.ts";

/** A value that is written to a variable. */
export type Write =
  | { readonly kind: "value"; readonly value: Expression }
  | { readonly kind: "num"; readonly num: Num }
  /** `x += value` or `x -= value`. */
  | { readonly kind: "step"; readonly value: Expression; readonly sign: 1 | -1 };

/** All values that the gathered code writes to variables and returns from functions. */
export interface Flows {
  readonly writes: ReadonlyMap<Variable, readonly Write[]>;
  readonly returns: ReadonlyMap<Variable, readonly (Expression | undefined)[]>;
  /** Functions that are stored or passed on, so any code may call them. */
  readonly escaping: ReadonlySet<Variable>;
  /** The function that a variable refers to. */
  readonly functions: ReadonlyMap<Variable, Lambda>;
  /** All functions, with and without a name. */
  readonly lambdas: readonly Lambda[];
}

export const flowsOf = (declarations: readonly Declaration[]): Flows => {
  const writes = new Map<Variable, Write[]>();
  const functions = new Map<Variable, Lambda>();
  const escaping = new Set<Variable>();
  const calls: (Expression & { readonly kind: "call" })[] = [];
  const known = new Set<Lambda>();
  const lambdas: Lambda[] = [];
  const handled = new Set<Expression>();
  const write = (variable: Variable, made: Write): void => {
    const found = writes.get(variable);
    if (found === undefined) writes.set(variable, [made]);
    else found.push(made);
  };
  const writeAny = (pattern: Pattern | undefined): void => {
    if (pattern?.kind === "fields") {
      for (const part of pattern.fields) {
        if (part.fallback !== undefined || part.pattern.kind !== "bind") writeAny(part.pattern);
        else write(part.pattern.variable, { kind: "value", value: propertyOf(pattern, part) });
      }
      writeAny(pattern.rest);
    } else if (pattern !== undefined)
      for (const { variable } of boundIn(pattern)) write(variable, { kind: "num", num: anyNumber });
  };
  const bind = (pattern: Pattern, value: Expression | undefined): void => {
    if (pattern.kind === "bind") {
      if (value !== undefined) write(pattern.variable, { kind: "value", value });
    } else if (
      pattern.kind === "items" &&
      value?.kind === "list" &&
      value.items.every(({ spread }) => !spread)
    )
      for (const [at, part] of pattern.items.entries()) {
        if (part?.fallback === undefined && part !== undefined) bind(part.pattern, value.items[at]?.value);
        else writeAny(part?.pattern);
      }
    else if (pattern.kind === "place" && pattern.target.kind === "variable") {
      write(
        pattern.target.variable,
        value === undefined ? { kind: "num", num: anyNumber } : { kind: "value", value },
      );
    } else if (pattern.kind !== "place") writeAnyPart(pattern);
  };
  const writeAnyPart = (pattern: Pattern & { readonly kind: "items" | "fields" }): void => {
    const parts = pattern.kind === "items" ? pattern.items : pattern.fields;
    for (const inner of [...parts.map((part) => part?.pattern), pattern.rest])
      if (inner !== undefined) bind(inner, undefined);
    writeAny(pattern);
  };
  for (const { variable, value } of declarations) {
    if (value.kind === "lambda") {
      functions.set(variable, value);
      known.add(value);
    } else write(variable, { kind: "value", value });
  }
  const statement = ({ does }: Statement): void => {
    if (does.kind === "declare") bind(does.pattern, does.value);
    else if (does.kind === "function") {
      functions.set(does.variable, does.lambda);
      known.add(does.lambda);
    } else if (does.kind === "assign") assign(does);
    else if (does.kind === "count" && does.target.kind === "variable") {
      const value: Expression = { kind: "number", value: 1, type: does.target.type, at: does.target.at };
      write(does.target.variable, { kind: "step", value, sign: does.by });
    } else if (does.kind === "for of") writeAny(does.pattern);
  };
  const assign = (does: Statement["does"] & { readonly kind: "assign" }): void => {
    const { target, operator, value } = does;
    if (operator === undefined) return bind(target, value);
    if (target.kind !== "place" || target.target.kind !== "variable") return;
    const { variable } = target.target;
    if (operator === "+" || operator === "-")
      return write(variable, { kind: "step", value, sign: operator === "+" ? 1 : -1 });
    const place = { type: target.target.type, at: target.at };
    const made: Expression =
      operator === "??" || operator === "||" || operator === "&&"
        ? { kind: "logical", operator, left: target.target, right: value, ...place }
        : { kind: "binary", operator, left: target.target, right: value, ...place };
    write(variable, { kind: "value", value: made });
  };
  const expression = (seen: Expression): void => {
    if (seen.kind === "call") {
      calls.push(seen);
      handled.add(seen.callee);
    }
    if (seen.kind === "invocation") for (const { value } of seen.args) handled.add(value);
    if (seen.kind === "variable" && !handled.has(seen)) escaping.add(seen.variable);
    if (seen.kind === "lambda") lambdas.push(seen);
    if (seen.kind === "lambda")
      for (const { pattern } of known.has(seen) ? [] : seen.parameters) writeAny(pattern);
    if (seen.kind === "invocation") callbacks(seen);
  };
  const callbacks = (seen: Expression & { readonly kind: "invocation" }): void => {
    const row = builtins[seen.row];
    for (const { value } of seen.args) {
      const given = row !== undefined && "callback" in row ? row.callback : undefined;
      if (value.kind === "lambda") {
        known.add(value);
        for (const [at, { pattern }] of value.parameters.entries()) {
          if (pattern.kind === "bind")
            write(pattern.variable, { kind: "num", num: given?.[at] ?? anyNumber });
          else writeAny(pattern);
        }
      } else if (value.kind === "variable") escaping.add(value.variable);
    }
  };
  walk(declarations, { statement, expression });
  bindArguments(calls, functions, escaping, write, writeAny);
  return {
    writes,
    returns: new Map([...functions].map(([variable, lambda]) => [variable, returnedBy(lambda)])),
    escaping,
    functions,
    lambdas,
  };
};

/** The property that a part of an object pattern reads. */
const propertyOf = (
  pattern: Pattern & { readonly kind: "fields" },
  { name, type }: PatternPart & { readonly name: string },
): Expression => ({
  kind: "property",
  object: { kind: "refused", type: pattern.type, at: pattern.at },
  name,
  type,
  at: pattern.at,
});

const bindArguments = (
  calls: readonly (Expression & { readonly kind: "call" })[],
  functions: ReadonlyMap<Variable, Lambda>,
  escaping: ReadonlySet<Variable>,
  write: (variable: Variable, made: Write) => void,
  writeAny: (pattern: Pattern | undefined) => void,
): void => {
  for (const [variable, { parameters }] of functions) {
    const all = calls.filter(({ callee }) => callee.kind === "variable" && callee.variable === variable);
    const open =
      escaping.has(variable) || all.length === 0 || all.some(({ args }) => args.some(({ spread }) => spread));
    for (const [at, { pattern, fallback, rest }] of parameters.entries()) {
      if (open || rest || pattern.kind !== "bind") {
        writeAny(pattern);
        continue;
      }
      for (const { args } of all) {
        const value = args[at]?.value ?? fallback;
        if (value !== undefined) write(pattern.variable, { kind: "value", value });
      }
      if (fallback !== undefined) write(pattern.variable, { kind: "value", value: fallback });
    }
  }
};

/** The values that a function returns, excluding those of nested functions. */
export const returnedBy = (lambda: Lambda): readonly (Expression | undefined)[] => {
  const found: (Expression | undefined)[] = [];
  const visit = (tree: unknown): void => {
    if (Array.isArray(tree)) for (const part of tree) visit(part);
    else if (typeof tree === "object" && tree !== null && "does" in tree) {
      const { does } = tree as Statement;
      if (does.kind === "return") found.push(does.value);
      else if (does.kind !== "function" && does.kind !== "expression")
        for (const part of Object.values(does)) visit(part);
    } else if (typeof tree === "object" && tree !== null && "labels" in tree && "body" in tree)
      visit(tree.body);
  };
  visit(lambda.body);
  return found;
};
