import type { Expression } from "../ir/code.ts";
import { hasEffect } from "../ir/effects.ts";
import { type Scope, scopeIn, type Variable } from "../ir/variable.ts";
import { isSimple, pyAssign, pyCall, pyLambda, pyVariable } from "../python/build.ts";
import type { PyStatement } from "../python/syntax.ts";
import type { Origins } from "../ownership/origins.ts";
import { type Callers, widthOf } from "../ranges/callers.ts";
import { elementNum } from "../ranges/numbers-of.ts";
import type { Numbers } from "../ranges/solve-numbers.ts";
import type { Refusals } from "../refusals/refusals.ts";
import { inlineCallback, lowerCallable } from "./expressions/callback.ts";
import { newGuards } from "./guards.ts";
import type { JsonWriters } from "./json-writers.ts";
import { lowerArguments } from "./expressions/lower-call.ts";
import { lowerExpression } from "./expressions/lower-expression.ts";
import { lowerFunction } from "./lower-function.ts";
import { lowerIterable } from "./expressions/lower-iterable.ts";
import { isResizedByCallback, mayInterfere } from "./statements/changes.ts";
import { refuseChanges } from "./statements/lower-loop.ts";
import { lowerPattern } from "./statements/lower-pattern.ts";
import { lowerStatements } from "./statements/lower-statement.ts";
import { lowerText } from "./expressions/lower-text.ts";
import { lowerCondition } from "./operators/lower-truth.ts";
import type { LoweringState } from "./lowering-state.ts";
import type { Patterns } from "./patterns.ts";
import { toFloat } from "./operators/to-float.ts";
import { builtins } from "../builtins/table.ts";

export const newLowering = (
  numbers: Numbers,
  origins: Origins,
  holdsNoHoles: (made: Expression) => boolean,
  callers: Callers,
  patterns: Patterns,
  writers: JsonWriters,
  refusals: Refusals,
  checked: Map<number, "reads" | "writes">,
  lacking: ReadonlySet<string>,
): LoweringState => {
  let scope: Scope = scopeIn(undefined, "module");
  let before: PyStatement[] = [];
  let inSource = false;
  const lowering: LoweringState = {
    numbers,
    origins,
    callers,
    lacking,
    patterns,
    pattern: (expression, use = "groups") => patterns.find(lowering, expression, use),
    guards: newGuards(),
    inlined: new Set(),
    beside: (lower) => lowering.within(scope, lower),
    refuse(at, code, what, instead, causes) {
      refusals.refuse(at, code, what, instead, causes);
      return { kind: "name", id: "undefined" };
    },
    refuseKind: (of, what, instead) =>
      lowering.refuse(of.at, "function/mixed-kinds", withType(what, of), instead),
    refuseAny: (of, what, instead) =>
      of.type.kinds.includes("unknown")
        ? lowering.refuse(of.at, "function/any", withType(what, of), instead, { of: of.type })
        : lowering.refuseKind(of, what, instead),
    num: (expression) =>
      expression.kind === "element" && lowering.isProven(expression.object, expression.index)
        ? elementNum(expression)
        : numbers.of(expression),
    numOfVariable: numbers.ofVariable,
    isAsserted: (expression) =>
      expression.kind === "variable" &&
      numbers.flows.writes
        .get(expression.variable)
        ?.some(
          (write) => write.kind === "value" && write.value.kind === "element" && write.value.asserted,
        ) === true,
    expression: (expression) => lowerExpression(lowering, expression),
    float: (expression) => toFloat(lowering, expression),
    condition: (expression) => lowerCondition(lowering, expression),
    text: (expression) => lowerText(lowering, expression),
    iterable: (expression, pairs = false) => lowerIterable(lowering, expression, pairs),
    source(lower) {
      const outer = inSource;
      inSource = true;
      const made = lower();
      inSource = outer;
      return made;
    },
    args: (call: Expression & { readonly kind: "invocation" | "call" }) =>
      lowerArguments(lowering, call.args),
    hold(value, type, use) {
      if (isSimple(value)) return use(value, value);
      const held = lowering.temporary("t_", type);
      const again = pyVariable(held);
      if (!inSource) return use({ kind: "walrus", variable: held, value }, again);
      return pyCall(pyLambda(held, use(again, again)), value);
    },
    inline: (callback, element, form) => inlineCallback(lowering, callback, element, form),
    takes(callback) {
      const known = callback.kind === "variable" ? numbers.flows.functions.get(callback.variable) : undefined;
      return known === undefined ? callers.widest : widthOf(known);
    },
    callable: (callback) => lowerCallable(lowering, callback, false),
    statements: (statements) => lowerStatements(lowering, statements),
    bind: (pattern, value, type) => lowerPattern(lowering, pattern, value, type),
    define: (variable, lambda) => lowerFunction(lowering, variable, lambda),
    before: (statement) => void before.push(statement),
    temporary: (name, type): Variable => ({ name, kind: "temporary", scope, type }),
    named(expression) {
      if (inSource || hasEffect(expression)) return undefined;
      const variable: Variable = {
        name: expression.type.kinds.includes("function") ? "call_" : "items_",
        kind: "temporary",
        scope,
        type: expression.type,
      };
      origins.name(variable, expression);
      before.push(pyAssign(pyVariable(variable), lowering.expression(expression)));
      return { kind: "variable", variable, type: expression.type, at: expression.at };
    },
    jsonWriter: writers.of,
    isFresh,
    holdsNoHoles,
    steadyWhile: (iterable, body) => refuseChanges(lowering, iterable, body),
    mayInterfere: (a, b) => mayInterfere(a, b, { flows: numbers.flows, origins }),
    keepsLength(array, callback) {
      if (isResizedByCallback(array, callback, { flows: numbers.flows, origins }))
        lowering.refuse(
          callback.at,
          "function/changed-while-iterated",
          "a callback that may add to or delete from the array that it is called for",
        );
    },
    isProven: (object, index) => lowering.guards.isProven(object, index),
    hasOwn: (object, key) => lowering.guards.hasOwn(object, key),
    checksName: ({ id }, does) => void checked.set(id, does),
    takesAssignments: () => !inSource,
    loops: [],
    within(inner, lower) {
      const outer = { scope, before };
      scope = inner;
      before = [];
      const made = lower();
      const own = before;
      ({ scope, before } = outer);
      return { made, before: own };
    },
  };
  return lowering;
};

const withType = (what: string, { type }: Pick<Expression, "type">): string =>
  what.replace("{type}", () => `\`${type.text}\``);

/** Whether an expression creates an array, map, set or record. */
const isFresh = (expression: Expression): boolean => {
  if (expression.kind === "list" || expression.kind === "record") return true;
  if (expression.kind !== "invocation") return false;
  const row = builtins[expression.row];
  if (row === undefined || "refuse" in row) return false;
  if (row.fresh === true) return true;
  return row.changes === true && expression.receiver !== undefined && isFresh(expression.receiver);
};
