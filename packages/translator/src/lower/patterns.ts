import type { Declaration, Expression } from "../ir/code.ts";
import { typeOfKind } from "../ir/value-type.ts";
import { type Scope, scopeIn, type Variable } from "../ir/variable.ts";
import { pyAssign, pyAttribute, pyBinary, pyCall, pyName, pyVariable } from "../python/build.ts";
import type { PyExpression, PyStatement } from "../python/syntax.ts";
import { type TranslatedRegExp, translateRegExp } from "../regexp/translate-regexp.ts";
import type { Lowering, Pattern } from "./lowering.ts";

export interface Patterns {
  /** The pattern that a literal, or a constant that holds one, stands for; undefined after a refusal. */
  readonly find: (lowering: Lowering, expression: Expression) => Pattern | undefined;
  /** A literal as the value of a constant of the module. */
  readonly constant: (
    lowering: Lowering,
    expression: Expression & { readonly kind: "regexp" },
  ) => PyExpression;
  /** Patterns that stand in functions, compiled before them. */
  readonly statements: () => readonly PyStatement[];
}

export const newPatterns = (declarations: readonly Declaration[]): Patterns => {
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
  return {
    find(lowering, expression) {
      const value = expression.kind === "variable" ? constants.get(expression.variable) : expression;
      if (value?.kind === "refused") return undefined;
      if (value?.kind !== "regexp") {
        lowering.refuse(
          expression.at,
          "function/regexp",
          "a regular expression that is not written there",
          "a literal, or a `const` of the module",
        );
        return undefined;
      }
      const regexp = translate(lowering, value);
      if (regexp === undefined) return undefined;
      return {
        value: expression.kind === "variable" ? pyVariable(expression.variable) : hoist(regexp),
        flags: value.flags,
        regexp,
      };
    },
    constant(lowering, expression) {
      const regexp = translate(lowering, expression);
      return regexp === undefined ? pyName("undefined") : compiled(regexp);
    },
    statements: () => [...hoisted.values()].map(({ statement }) => statement),
  };
};

const translate = (
  lowering: Lowering,
  { source, flags, at }: Expression & { readonly kind: "regexp" },
): TranslatedRegExp | undefined => {
  const made = translateRegExp(source, flags);
  if (made.kind === "translated") return made;
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
