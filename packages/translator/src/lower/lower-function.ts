import type { Lambda, Parameter } from "../ir/code.ts";
import { typeOfKind, unknown } from "../ir/value-type.ts";
import { liesIn, type Variable } from "../ir/variable.ts";
import { pyAssign, pyBinary, pyCall, pyDo, pyName, pyVariable, pyWhen } from "../python/build.ts";
import type { PyFunction, PyParameter, PyStatement } from "../python/syntax.ts";
import type { Called } from "../ranges/callers.ts";
import type { LoweringState } from "./lowering-state.ts";
import { writesIn } from "./statements/changes.ts";

/** Lowers a function to a `def`. */
export const lowerFunction = (lowering: LoweringState, variable: Variable, lambda: Lambda): PyFunction => {
  const called = calledFor(lowering, lambda);
  const parameters = lambda.parameters.map((parameter, at) => ({
    parameter,
    taken: takenBy(parameter, lambda, at < called.least),
  }));
  const { made: body, before } = lowering.within(lambda.scope, () => [
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
    parameters: [...parameters.map(({ taken }) => taken), ...padding(lambda, called)],
    body: [...all, ...ends],
  };
};

/** The minimum and maximum number of arguments that a function receives. */
export const calledFor = (lowering: LoweringState, { scope, arity }: Lambda): Called =>
  lowering.callers.of(scope) ?? { least: Infinity, most: arity };

/** Parameters for arguments that callers pass, although the function does not take them. */
export const padding = ({ scope, parameters }: Lambda, { most }: Called): readonly PyParameter[] => {
  const missing = parameters.some(({ rest }) => rest) ? 0 : Math.max(most - parameters.length, 0);
  const unused: Variable = { name: "unused_", kind: "parameter", scope, type: unknown };
  if (missing > 2) return [{ variable: unused, form: "rest" }];
  return Array.from({ length: missing }, () => ({ variable: { ...unused }, form: "optional" }));
};

const takenBy = ({ pattern, optional, rest }: Parameter, lambda: Lambda, isPassed: boolean): PyParameter => ({
  variable:
    pattern.kind === "bind"
      ? pattern.variable
      : {
          name: pattern.kind === "fields" ? "row" : "items",
          kind: "temporary",
          scope: lambda.scope,
          type: unknown,
        },
  form: rest ? "rest" : optional || !isPassed ? "optional" : "plain",
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
          pyWhen(pyBinary("is", value, pyName("undefined")), [
            pyAssign(value, lowering.expression(fallback)),
          ]),
        ]),
    ...(pattern.kind === "bind" ? [] : lowering.bind(pattern, value, type)),
  ];
};

/** Variables of enclosing functions that a function writes to. */
const outerWrites = (lambda: Lambda): readonly Variable[] => {
  const written = [...writesIn(lambda.body)];
  return written.filter(({ kind, scope }) => kind !== "module" && !liesIn(scope, lambda.scope));
};

export const functionType: Variable["type"] = typeOfKind("function");

/** Whether code after the statements is unreachable. */
const leaves = (statements: readonly PyStatement[]): boolean => {
  const last = statements.at(-1)?.does;
  switch (last?.kind) {
    case "return":
    case "raise":
      return true;
    case "if":
      return (
        last.otherwise.length > 0 && last.branches.every(({ body }) => leaves(body)) && leaves(last.otherwise)
      );
    case "while":
      return last.test.kind === "name" && last.test.id === "True" && !breaks(last.body);
    case "try":
      return (
        leaves(last.always) || (leaves(last.body) && (last.except === undefined || leaves(last.except.body)))
      );
    default:
      return false;
  }
};

const breaks = (statements: readonly PyStatement[]): boolean =>
  statements.some(({ does }) => {
    switch (does.kind) {
      case "break":
        return true;
      case "if":
        return does.branches.some(({ body }) => breaks(body)) || breaks(does.otherwise);
      case "try":
        return breaks(does.body) || breaks(does.except?.body ?? []) || breaks(does.always);
      default:
        return false;
    }
  });
