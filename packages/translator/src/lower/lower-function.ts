import type { Expression, Lambda, Parameter, Pattern, Statement } from "../ir/code.ts";
import { typeOfKind, unknown } from "../ir/value-type.ts";
import { liesIn, type Variable } from "../ir/variable.ts";
import { walk } from "../ir/walk.ts";
import { pyAssign, pyBinary, pyCall, pyDo, pyName, pyVariable } from "../python/build.ts";
import type { PyFunction, PyParameter, PyStatement } from "../python/syntax.ts";
import { leaves } from "./leaves.ts";
import type { LoweringState } from "./lowering-state.ts";

/** A function as `def`. */
export const lowerFunction = (lowering: LoweringState, variable: Variable, lambda: Lambda): PyFunction => {
  const parameters = lambda.parameters.map((parameter) => ({ parameter, taken: takenBy(parameter, lambda) }));
  const { made: body, before } = lowering.apart(lambda.scope, () => [
    ...parameters.flatMap(({ parameter, taken }) => openParameter(lowering, parameter, taken)),
    ...lowering.statements(lambda.body),
  ]);
  const outer = outerWrites(lambda);
  const all: readonly PyStatement[] = [
    ...(outer.length === 0 ? [] : [pyDo({ kind: "nonlocal", variables: outer })]),
    ...before,
    ...body,
  ];
  const ends = leaves(all) ? [] : [pyDo({ kind: "return", value: pyName("undefined") })];
  return {
    kind: "function",
    variable,
    parameters: [...parameters.map(({ taken }) => taken), ...padding(lambda)],
    body: [...all, ...ends],
  };
};

/** Parameters that callers pass and the function leaves out. */
export const padding = (lambda: Lambda): readonly PyParameter[] =>
  Array.from({ length: Math.max(lambda.arity - lambda.parameters.length, 0) }, () => ({
    variable: { name: "unused_", kind: "parameter", scope: lambda.scope, type: unknown },
    form: "optional" as const,
  }));

const takenBy = ({ pattern, optional, rest }: Parameter, lambda: Lambda): PyParameter => ({
  variable:
    pattern.kind === "bind"
      ? pattern.variable
      : {
          name: pattern.kind === "fields" ? "row" : "items",
          kind: "temporary",
          scope: lambda.scope,
          type: unknown,
        },
  form: rest ? "rest" : optional ? "optional" : "plain",
});

const openParameter = (
  lowering: LoweringState,
  { pattern, fallback, rest }: Parameter,
  { variable }: PyParameter,
): readonly PyStatement[] => {
  const value = pyVariable(variable);
  const type = "type" in pattern ? pattern.type : pattern.kind === "bind" ? pattern.variable.type : unknown;
  return [
    ...(rest ? [pyAssign(value, pyCall("list", value))] : []),
    ...(fallback === undefined
      ? []
      : [
          pyDo({
            kind: "if",
            branches: [
              {
                test: pyBinary("is", value, pyName("undefined")),
                body: [pyAssign(value, lowering.expression(fallback))],
              },
            ],
            otherwise: [],
          }),
        ]),
    ...(pattern.kind === "bind" ? [] : lowering.bind(pattern, value, type)),
  ];
};

/** Variables of a function around that a function writes. */
const outerWrites = (lambda: Lambda): readonly Variable[] => {
  const found = new Set<Variable>();
  const add = (target: Expression): void => {
    if (target.kind !== "variable" || target.variable.kind === "module") return;
    if (!liesIn(target.variable.scope, lambda.scope)) found.add(target.variable);
  };
  const addAll = (pattern: Pattern): void => {
    if (pattern.kind === "place") add(pattern.target);
    if (pattern.kind === "items")
      for (const part of pattern.items) if (part !== undefined) addAll(part.pattern);
  };
  walk(lambda.body, {
    statement({ does }: Statement) {
      if (does.kind === "assign") addAll(does.target);
      if (does.kind === "count") add(does.target);
    },
  });
  return [...found];
};

export const functionType: Variable["type"] = typeOfKind("function");
