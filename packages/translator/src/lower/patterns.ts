import type { Declaration, Expression } from "../ir/code.ts";
import { typeOfKind } from "../ir/value-type.ts";
import { type Scope, scopeIn, type Variable } from "../ir/variable.ts";
import { pyAssign, pyAttribute, pyBinary, pyCall, pyName, pyVariable } from "../python/build.ts";
import type { PyExpression, PyStatement } from "../python/syntax.ts";
import { type TranslatedRegExp, translateRegExp } from "../regexp/translate-regexp.ts";
import type { Origins } from "../ownership/origins.ts";
import type { Lowering, Pattern, PatternUse } from "./lowering.ts";

export interface Patterns {
  /** The pattern that an expression denotes; undefined if it is refused. */
  readonly find: (lowering: Lowering, expression: Expression, use: PatternUse) => Pattern | undefined;
  /** A pattern literal that is used as a value, so that other expressions may denote it. */
  readonly value: (lowering: Lowering, expression: RegExpLiteral) => PyExpression;
  /** A pattern literal that is the value of a module constant. */
  readonly constant: (lowering: Lowering, expression: RegExpLiteral) => PyExpression;
  /** Module statements that compile the patterns used in functions. */
  readonly statements: () => readonly PyStatement[];
}

type RegExpLiteral = Expression & { readonly kind: "regexp" };

export const newPatterns = (declarations: readonly Declaration[], origins: Origins): Patterns => {
  const module: Scope = declarations[0]?.variable.scope ?? scopeIn(undefined, "module");
  const constants = new Map(declarations.map(({ variable, value }) => [variable, value]));
  const hoisted = new Map<string, { readonly variable: Variable; readonly statement: PyStatement }>();
  const hoist = (regexp: TranslatedRegExp): PyExpression => {
    const found = hoisted.get(regexp.python);
    if (found !== undefined) return pyVariable(found.variable);
    const name = `PATTERN_${hoisted.size + 1}`;
    const variable: Variable = { name, kind: "module", scope: module, type: typeOfKind("regexp") };
    hoisted.set(regexp.python, { variable, statement: pyAssign(pyVariable(variable), compiled(regexp)) });
    return pyVariable(variable);
  };
  /** The common properties of all patterns that an expression may denote. */
  const oneOfSeveral = (lowering: Lowering, expression: Expression): Pattern | undefined => {
    const refuse = (what: string, instead: string): undefined => {
      lowering.refuse(expression.at, "function/regexp", what, instead);
    };
    const made = [...origins.of(expression)].map((origin) => origin.made);
    const literals = made.filter((one) => typeof one !== "string" && one.kind === "regexp");
    if (expression.type.kinds.includes("string"))
      return refuse(
        "a string as a pattern",
        "a literal such as `/a/`, or `text.indexOf(part)` for a fixed text",
      );
    if (literals.length === 0 || made.includes("anywhere"))
      return refuse("a pattern whose definition cannot be found", "a module-level `const`");
    const value = lowering.expression(expression);
    const all = literals.map(({ source, flags }) => ({ flags, regexp: translateRegExp(source, flags) }));
    const [first, ...more] = all.flatMap(({ flags, regexp }) =>
      regexp.kind === "translated" ? [{ value, flags, regexp }] : [],
    );
    // If one of the patterns is refused, the error is reported where that pattern is written.
    if (first === undefined || more.length + 1 < all.length) return undefined;
    if (more.some(({ flags }) => flags.includes("g") !== first.flags.includes("g")))
      return refuse("patterns with and without the flag `g` in one place", "the same flag for all of them");
    const groups = JSON.stringify(first.regexp.groups);
    return {
      ...first,
      regexp: {
        ...first.regexp,
        nullable: all.some(({ regexp }) => regexp.kind === "translated" && regexp.nullable),
        empty: first.regexp.empty && more.every(({ regexp }) => regexp.empty),
        groups: more.every(({ regexp }) => JSON.stringify(regexp.groups) === groups)
          ? first.regexp.groups
          : undefined,
      },
    };
  };
  return {
    find(lowering, expression, use) {
      const value = expression.kind === "variable" ? constants.get(expression.variable) : expression;
      if (value?.kind === "refused") return undefined;
      if (value?.kind !== "regexp") return oneOfSeveral(lowering, expression);
      const isLiteral = expression.kind !== "variable";
      const regexp = translate(lowering, value, isLiteral ? use : "groups");
      if (regexp === undefined) return undefined;
      return {
        value: isLiteral ? hoist(regexp) : pyVariable(expression.variable),
        flags: value.flags,
        regexp,
      };
    },
    value(lowering, expression) {
      const regexp = translate(lowering, expression, "groups");
      return regexp === undefined ? pyName("undefined") : hoist(regexp);
    },
    constant(lowering, expression) {
      const regexp = translate(lowering, expression, "groups");
      return regexp === undefined ? pyName("undefined") : compiled(regexp);
    },
    statements: () => [...hoisted.values()].map(({ statement }) => statement),
  };
};

const translate = (
  lowering: Lowering,
  { source, flags, at }: RegExpLiteral,
  use: PatternUse,
): TranslatedRegExp | undefined => {
  const made = translateRegExp(source, flags);
  if (made.kind === "translated") return made;
  const without = use === "match" ? translateRegExp(source, flags, use) : made;
  if (without.kind === "translated") return without;
  lowering.refuse({ ...at, column: at.column + 1 + made.at }, "function/regexp", made.what, made.instead);
  return undefined;
};

/** `re.compile(r"…", re.A)`. */
const compiled = ({ python, flags }: TranslatedRegExp): PyExpression => {
  const text = /^re\.compile\((.*), re\.[^,]*\)$/s.exec(python)?.[1] ?? "";
  const [first, ...rest] = flags.map((flag) => pyAttribute(pyName("re"), flag));
  const all = rest.reduce((left, right) => pyBinary("|", left, right), first ?? pyName("None"));
  return pyCall(pyAttribute(pyName("re"), "compile"), { kind: "literal", text }, all);
};
