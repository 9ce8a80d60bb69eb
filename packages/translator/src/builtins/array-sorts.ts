import type { Expression, Invocation, Lambda } from "../ir/code.ts";
import { kindOf } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import { walk } from "../ir/walk.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyCall, pyCallWith, pyAttribute, pyName, pyRun } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { receiverOf } from "./arguments.ts";
import { elementOf } from "./array-callbacks.ts";
import type { Rows } from "./row.ts";

/** What Python sorts by: nothing for texts, a key, or JavaScript's own order of everything as text. */
const keyOf = (call: Invocation, lowering: Lowering): Readonly<Record<string, PyExpression>> => {
  const compare = call.args[0]?.value;
  const element = elementOf(receiverOf(call).type);
  if (compare === undefined)
    return kindOf(element) === "string" && !element.null ? {} : { key: pyName("string") };
  if (compare.kind === "lambda") {
    const key = keyOfDifference(compare);
    if (key !== undefined) return { key: ordering(lowering.callable(key.lambda), key.descending) };
  }
  return {
    key: pyCall("by", lowering.callable(compare.kind === "lambda" ? { ...compare, arity: 0 } : compare)),
  };
};

/** From large to small; the sign of a zero makes no difference to an order. */
const ordering = (key: PyExpression, descending: boolean): PyExpression =>
  descending && key.kind === "lambda"
    ? { ...key, body: { kind: "unary", operator: "-", operand: key.body } }
    : key;

/** `(a, b) => f(a) - f(b)` sorts by `f`, `f(b) - f(a)` by `-f`: for doubles `x - y < 0` exactly where `x < y`. */
const keyOfDifference = (
  compare: Lambda,
): { readonly lambda: Lambda; readonly descending: boolean } | undefined => {
  const { value, parameters } = compare;
  const [a, b] = parameters.map(({ pattern }) => (pattern.kind === "bind" ? pattern.variable : undefined));
  if (value?.kind !== "binary" || value.operator !== "-" || a === undefined || b === undefined)
    return undefined;
  if (kindOf(value.left.type) !== "number" || !isPure(value.left) || !isPure(value.right)) return undefined;
  const descending = mentions(value.left, b);
  const [first, second] = descending ? [value.right, value.left] : [value.left, value.right];
  if (!isSameFor(first, a, second, b) || mentions(first, b) || !mentions(first, a)) return undefined;
  const [parameter] = parameters;
  if (parameter === undefined) return undefined;
  return { lambda: { ...compare, parameters: [parameter], arity: 0, value: first, body: [] }, descending };
};

const mentions = (expression: Expression, variable: Variable): boolean => {
  let found = false;
  walk(expression, {
    expression(seen) {
      if (seen.kind === "variable" && seen.variable === variable) found = true;
    },
  });
  return found;
};

/** Properties and elements of a parameter, and nothing that is called. */
const isPure = (expression: Expression): boolean => {
  switch (expression.kind) {
    case "variable":
    case "number":
      return true;
    case "property":
      return isPure(expression.object);
    case "element":
      return isPure(expression.object) && expression.index.kind === "number";
    default:
      return false;
  }
};

const isSameFor = (x: Expression, a: Variable, y: Expression, b: Variable): boolean => {
  if (x.kind === "variable" && y.kind === "variable")
    return (
      (x.variable === a && y.variable === b) ||
      (x.variable === y.variable && x.variable !== a && x.variable !== b)
    );
  if (x.kind === "number" && y.kind === "number") return x.value === y.value;
  if (x.kind === "property" && y.kind === "property")
    return x.name === y.name && isSameFor(x.object, a, y.object, b);
  if (x.kind === "element" && y.kind === "element")
    return isSameFor(x.object, a, y.object, b) && isSameFor(x.index, a, y.index, b);
  return false;
};

/** Whether an element may be undefined: those come last, whatever the order. */
const mayMiss = (call: Invocation): boolean => elementOf(receiverOf(call).type).undefined;

const sorted = (call: Invocation, lowering: Lowering): PyExpression => {
  const receiver = receiverOf(call);
  if (mayMiss(call))
    return lowering.refuse(
      call.at,
      "function/mixed-kinds",
      "sorting elements that may be undefined",
      "`filter` them out first",
    );
  return pyCallWith("sorted", [lowering.expression(sourceOf(receiver))], keyOf(call, lowering));
};

/** `[...xs].sort()` needs no copy of its own. */
const sourceOf = (receiver: Expression): Expression => {
  const [only] = receiver.kind === "list" ? receiver.items : [];
  return receiver.kind === "list" &&
    receiver.items.length === 1 &&
    only?.spread === true &&
    kindOf(only.value.type) === "array"
    ? only.value
    : receiver;
};

/** Sorting; Python's sort is stable and asks only for "less than", as V8's. */
export const arraySorts: Rows = {
  sort: {
    args: [0, 1],
    changes: true,
    lower: (call, lowering) =>
      lowering.isFresh(receiverOf(call))
        ? sorted(call, lowering)
        : lowering.refuse(
            call.at,
            "function/effect-in-expression",
            "the value of `.sort()` of an array with a name",
            "`toSorted`, or a statement of its own",
          ),
    statement(call, lowering) {
      if (mayMiss(call)) return [pyRun(sorted(call, lowering))];
      const list = lowering.expression(receiverOf(call));
      return [pyRun(pyCallWith(pyAttribute(list, "sort"), [], keyOf(call, lowering)))];
    },
  },
  toSorted: { args: [0, 1], fresh: true, lower: sorted },
  toSpliced: { refuse: "function/built-in", why: "not translated", instead: "`slice` and spread" },
  with: { refuse: "function/built-in", why: "not translated", instead: "`map((x, i) => …)`" },
};
