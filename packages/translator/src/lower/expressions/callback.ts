import type { Expression, Lambda, Pattern } from "../../ir/code.ts";
import { typeOfKind, type ValueType } from "../../ir/value-type.ts";
import { liesIn, type Variable } from "../../ir/variable.ts";
import { hasEffect } from "../../ir/effects.ts";
import { pyDo, pyTuple, pyVariable } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { writesIn } from "../statements/changes.ts";
import { escapesLoop } from "../statements/escapes-loop.ts";
import { calledFor, functionType, padding } from "../lower-function.ts";
import type { Inlined } from "../lowering.ts";
import type { LoweringState } from "../lowering-state.ts";

/** Inlines a callback that takes an element and maybe its index: its body if that is an expression, otherwise a call. */
export const inlineCallback = (
  lowering: LoweringState,
  callback: Expression,
  element: ValueType,
  form: "value" | "condition",
): Inlined => {
  const lower = (body: Expression): PyExpression =>
    form === "value" ? lowering.expression(body) : lowering.condition(body);
  if (callback.kind === "lambda") return inlineLambda(lowering, callback, lower);
  if (callback.kind === "builtin" && takesMore.has(callback.name))
    lowering.refuse(
      callback.at,
      "function/syntax",
      `\`${callback.name}\` takes the position as its second argument here`,
      `\`(x) => ${callback.name}(x)\``,
    );
  const item: Variable = lowering.temporary("x", element);
  const taken: Expression = { kind: "variable", variable: item, type: element, at: callback.at };
  if (callback.kind === "builtin")
    return {
      target: pyVariable(item),
      index: undefined,
      value: lower({
        kind: "invocation",
        row: callback.name,
        receiver: undefined,
        args: [{ spread: false, value: taken }],
        type: resultOf[callback.name] ?? element,
        at: callback.at,
      }),
    };
  const callee = callback.kind === "variable" ? callback : lowering.named(callback);
  if (callee === undefined)
    lowering.refuse(
      callback.at,
      "function/syntax",
      "a function that is created where it is passed",
      "a `const` that holds it",
    );
  const count = callback.type.parameters?.length ?? 1;
  if (lowering.takes(callback) > count)
    lowering.refuse(
      callback.at,
      "function/syntax",
      "a function that may take more arguments than its type declares",
      "`(x) => f(x)`",
    );
  else if (count > 2)
    lowering.refuse(
      callback.at,
      "function/syntax",
      "a callback that takes the array as an argument",
      "`(x, i) => f(x, i, array)`",
    );
  const position: Variable = lowering.temporary("i", typeOfKind("number"));
  const index: Expression = { kind: "variable", variable: position, type: position.type, at: callback.at };
  const args = [taken, index].slice(0, count).map((value) => ({ spread: false, value }));
  const result = form === "condition" ? typeOfKind("boolean") : element;
  return {
    target: pyVariable(item),
    index: count > 1 ? pyVariable(position) : undefined,
    value: lower({ kind: "call", callee: callee ?? callback, args, type: result, at: callback.at }),
  };
};

/** Built-ins that would use the index, which they receive as the second argument. */
const takesMore: ReadonlySet<string> = new Set(["parseInt", "Number.parseInt", "Math.max", "Math.min"]);

const resultOf: Readonly<Record<string, ValueType | undefined>> = {
  String: typeOfKind("string"),
  Number: typeOfKind("number"),
  Boolean: typeOfKind("boolean"),
  BigInt: typeOfKind("bigint"),
};

const inlineLambda = (
  lowering: LoweringState,
  lambda: Lambda,
  lower: (body: Expression) => PyExpression,
): Inlined => {
  const [first, second, third] = lambda.parameters;
  if (lambda.parameters.some(({ rest }) => rest))
    lowering.refuse(
      lambda.at,
      "function/syntax",
      "a callback that takes all arguments as a list",
      "the parameters by their names",
    );
  if (third !== undefined)
    lowering.refuse(
      lambda.at,
      "function/syntax",
      "a callback that takes the array as an argument",
      "the array's own name",
    );
  const target = first === undefined ? undefined : targetOf(first.pattern);
  const index = second === undefined ? undefined : targetOf(second.pattern);
  const isPlain =
    (first === undefined || (target !== undefined && first.fallback === undefined && !first.rest)) &&
    (second === undefined || (index !== undefined && second.fallback === undefined && !second.rest));
  if (lambda.value !== undefined && isPlain && !changesOwn(lambda)) {
    const { value } = lambda;
    lowering.inlined.add(lambda.scope);
    const { made, before } = lowering.within(lambda.scope, () => lower(value));
    if (before.length === 0)
      return {
        target: target ?? pyVariable(lowering.temporary("_", typeOfKind("unknown"))),
        index,
        value: made,
      };
    lowering.inlined.delete(lambda.scope);
  }
  return callDefined(lowering, lambda, lower);
};

/** Whether a function writes to its own parameters, which is impossible in a comprehension. */
const changesOwn = (lambda: Lambda): boolean =>
  [...writesIn(lambda.body)].some(({ scope }) => liesIn(scope, lambda.scope));

/** The target of a comprehension that corresponds to a parameter: a name, or a tuple of names. */
const targetOf = (pattern: Pattern): PyExpression | undefined => {
  if (pattern.kind === "bind") return pyVariable(pattern.variable);
  if (pattern.kind !== "items" || pattern.rest !== undefined) return undefined;
  if (pattern.type.items?.length !== pattern.items.length || pattern.items.length < 2) return undefined;
  const names = pattern.items.map((part) =>
    part === undefined || part.fallback !== undefined ? undefined : targetOf(part.pattern),
  );
  return names.every((name) => name !== undefined) ? pyTuple(names) : undefined;
};

/** Turns a callback with several statements into a function that precedes the current statement. */
const callDefined = (
  lowering: LoweringState,
  lambda: Lambda,
  lower: (body: Expression) => PyExpression,
): Inlined => {
  const own = lowering.temporary("step_", functionType);
  lowering.before(pyDo(lowering.define(own, { ...lambda, arity: 0 })));
  const [item, position] = [
    lowering.temporary(
      "x",
      lambda.parameters[0]?.pattern.kind === "bind"
        ? lambda.parameters[0].pattern.variable.type
        : typeOfKind("unknown"),
    ),
    lowering.temporary("i", typeOfKind("number")),
  ];
  const at = lambda.at;
  const args = [item, position].slice(0, lambda.parameters.length).map((variable) => ({
    spread: false,
    value: { kind: "variable", variable, type: variable.type, at } as const,
  }));
  const callee: Expression = { kind: "variable", variable: own, type: functionType, at };
  return {
    target: pyVariable(item),
    index: lambda.parameters.length > 1 ? pyVariable(position) : undefined,
    value: lower({ kind: "call", callee, args, type: lambda.result, at }),
  };
};

/** A function as a value. `kept`: it may also be called later. */
export const lowerCallable = (lowering: LoweringState, callback: Expression, kept: boolean): PyExpression => {
  if (callback.kind !== "lambda") return lowering.expression(callback);
  if (kept && escapesLoop(lowering, callback))
    return lowering.refuse(
      callback.at,
      "function/escaping-closure",
      "a function that outlives an iteration of its loop and uses the loop's variables",
    );
  const { parameters, value } = callback;
  const called = calledFor(lowering, callback);
  const plain = parameters.every(
    ({ pattern, optional, rest }) => pattern.kind === "bind" && !optional && !rest,
  );
  if (value !== undefined && plain && !hasEffect(value)) {
    const { made, before } = lowering.within(callback.scope, () => lowering.expression(value));
    if (before.length === 0)
      return {
        kind: "lambda",
        parameters: [
          ...parameters.flatMap(({ pattern }, at) =>
            pattern.kind === "bind"
              ? [{ variable: pattern.variable, form: at < called.least ? "plain" : "optional" } as const]
              : [],
          ),
          ...padding(callback, called),
        ],
        body: made,
      };
  }
  const own = lowering.temporary("call_", functionType);
  lowering.before(pyDo(lowering.define(own, callback)));
  return pyVariable(own);
};
