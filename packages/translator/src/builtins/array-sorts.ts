import type { Expression, Invocation, Lambda } from "../ir/code.ts";
import { kindOf } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import { walk } from "../ir/walk.ts";
import type { Lowering } from "../lower/lowering.ts";
import {
  pyAssign,
  pyAttribute,
  pyCall,
  pyCallWith,
  pyList,
  pyName,
  pyNegative,
  pyRun,
  pySlice,
  pyText,
  pyTuple,
} from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { isInt } from "../ranges/num.ts";
import { argument, receiverOf } from "./arguments.ts";
import { elementOf } from "./array-callbacks.ts";
import type { Rows } from "./row.ts";
import { typedElement } from "./typed-element.ts";

/** The order in Python: a key for each element, or a support function that receives `by`. */
type Order =
  | { readonly kind: "plain"; readonly key: PyExpression | undefined }
  | { readonly kind: "support"; readonly name: string; readonly by: PyExpression };

const orderOf = (call: Invocation, lowering: Lowering): Order => {
  const compare = call.args[0]?.value;
  const element = elementOf(receiverOf(call).type);
  const isTyped = kindOf(receiverOf(call).type) === "typed";
  if (compare === undefined && isTyped)
    return { kind: "plain", key: isFloats(call) ? pyName("numeric_order") : undefined };
  if (compare === undefined)
    return {
      kind: "plain",
      key: kindOf(element) === "string" && !element.null ? undefined : pyName("string"),
    };
  const keys = compare.kind === "lambda" ? keysOfDifferences(compare) : undefined;
  const [first, ...more] = keys ?? [];
  if (keys !== undefined && first !== undefined) {
    const neverNaN = keys.every(({ value }) => isInt(lowering.num(value)));
    const all = keys.map((key) => keyFunction(key, lowering));
    const [only] = all;
    if (more.length === 0 && neverNaN && only !== undefined) return { kind: "plain", key: only };
    const joined = joinedKeys(all, neverNaN);
    if (joined !== undefined && neverNaN) return { kind: "plain", key: joined };
    if (!isTyped && joined !== undefined) return { kind: "support", name: "sorted_by_numbers", by: joined };
    if (!isTyped && more.length === 0 && only !== undefined)
      return { kind: "support", name: "sorted_by_number", by: only };
  }
  return {
    kind: "support",
    name: isTyped ? "sorted_typed" : "sorted_as_v8",
    by: lowering.callable(compare.kind === "lambda" ? { ...compare, arity: 2 } : compare),
  };
};

const isFloats = (call: Invocation): boolean => (receiverOf(call).type.array ?? "").startsWith("Float");

/** A part of a numeric order: `f(a) - f(b)`, or `f(b) - f(a)` for descending. */
interface Key {
  readonly lambda: Lambda;
  readonly value: Expression;
  readonly descending: boolean;
}

const keyFunction = ({ lambda, value, descending }: Key, lowering: Lowering): PyExpression => {
  const plus: Expression = { kind: "unary", operator: "+", operand: value, type: value.type, at: value.at };
  const key = lowering.callable({ ...lambda, value: plus });
  return descending && key.kind === "lambda" ? { ...key, body: pyNegative(key.body) } : key;
};

/** Combines several keys of one parameter into one key. */
const joinedKeys = (keys: readonly PyExpression[], asTuple: boolean): PyExpression | undefined => {
  const [first] = keys;
  if (keys.length < 2 || first?.kind !== "lambda") return undefined;
  const bodies = keys.flatMap((key) => (key.kind === "lambda" ? [key.body] : []));
  return { ...first, body: asTuple ? pyTuple(bodies) : pyList(bodies) };
};

/** The keys of `f(a) - f(b) || g(a) - g(b)`; undefined for any other comparator. */
const keysOfDifferences = (compare: Lambda): readonly Key[] | undefined => {
  const { value } = compare;
  if (value === undefined) return undefined;
  const terms = termsOf(value).map((term) => keyOfDifference(compare, term));
  return terms.every((key) => key !== undefined) ? terms : undefined;
};

const termsOf = (value: Expression): readonly Expression[] =>
  value.kind === "logical" && value.operator === "||"
    ? [...termsOf(value.left), ...termsOf(value.right)]
    : [value];

/** `(a, b) => f(a) - f(b)` sorts by `f`, `f(b) - f(a)` by `-f`: `x - y < 0` is equivalent to `x < y` except for NaN. */
const keyOfDifference = (compare: Lambda, value: Expression): Key | undefined => {
  const { parameters } = compare;
  const [a, b] = parameters.map(({ pattern }) => (pattern.kind === "bind" ? pattern.variable : undefined));
  if (value.kind !== "binary" || value.operator !== "-" || a === undefined || b === undefined)
    return undefined;
  if (kindOf(value.left.type) !== "number" || !isPure(value.left) || !isPure(value.right)) return undefined;
  const descending = mentions(value.left, b);
  const [first, second] = descending ? [value.right, value.left] : [value.left, value.right];
  if (!isSameFor(first, a, second, b) || mentions(first, b) || !mentions(first, a)) return undefined;
  const [parameter] = parameters;
  if (parameter === undefined) return undefined;
  const lambda = { ...compare, parameters: [parameter], arity: 0, body: [] };
  return { lambda, value: first, descending };
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

/** Whether an expression only consists of properties and elements of a parameter, without calls. */
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

/** Whether an element may be undefined. Undefined elements come last in any order. */
const mayMiss = (call: Invocation): boolean => elementOf(receiverOf(call).type).undefined;

const refuseMissing = (call: Invocation, lowering: Lowering): PyExpression =>
  lowering.refuse(
    call.at,
    "function/mixed-kinds",
    "sorting elements that may be undefined",
    "`filter` to remove them first",
  );

const sortedIn = (call: Invocation, lowering: Lowering, list: PyExpression): PyExpression => {
  const order = orderOf(call, lowering);
  return order.kind === "plain"
    ? pyCallWith("sorted", [list], order.key === undefined ? {} : { key: order.key })
    : pyCall(order.name, list, order.by);
};

const sorted = (call: Invocation, lowering: Lowering): PyExpression =>
  mayMiss(call)
    ? refuseMissing(call, lowering)
    : sortedIn(call, lowering, lowering.expression(sourceOf(receiverOf(call))));

/** `[...xs].sort()` needs no further copy. */
const sourceOf = (receiver: Expression): Expression => {
  const [only] = receiver.kind === "list" ? receiver.items : [];
  return receiver.kind === "list" &&
    receiver.items.length === 1 &&
    only?.spread === true &&
    kindOf(only.value.type) === "array"
    ? only.value
    : receiver;
};

/** Sorting. Python's sort is stable, like V8's. If the comparator may be inconsistent, V8's algorithm is used. */
export const arraySorts: Rows = {
  sort: {
    args: [0, 1],
    changes: true,
    lower(call, lowering) {
      const receiver = receiverOf(call);
      if (mayMiss(call) || lowering.isFresh(receiver)) return sorted(call, lowering);
      return lowering.hold(lowering.expression(receiver), receiver.type, (first, again) =>
        pyCall("put_all", first, sortedIn(call, lowering, again)),
      );
    },
    statement(call, lowering) {
      if (mayMiss(call)) return [pyRun(refuseMissing(call, lowering))];
      const list = lowering.expression(receiverOf(call));
      const order = orderOf(call, lowering);
      if (order.kind === "support") return [pyAssign(pySlice(list), pyCall(order.name, list, order.by))];
      const named = order.key === undefined ? {} : { key: order.key };
      return [pyRun(pyCallWith(pyAttribute(list, "sort"), [], named))];
    },
  },
  toSorted: { args: [0, 1], fresh: true, lower: sorted },
  toSpliced: {
    refuse: "function/built-in",
    why: "not translated",
    instead: "`[...xs.slice(0, i), ...items, ...xs.slice(i + n)]`",
  },
  with: {
    args: [2, 2],
    fresh: true,
    lower(call, lowering) {
      const receiver = receiverOf(call);
      const [list, index] = [lowering.expression(receiver), lowering.expression(argument(call, 0))];
      const value = lowering.expression(argument(call, 1));
      return kindOf(receiver.type) === "typed"
        ? pyCall(
            "with_element",
            list,
            index,
            typedElement(lowering, receiver.type, argument(call, 1), value),
            pyText("Invalid typed array index"),
          )
        : pyCall("with_element", list, index, value);
    },
  },
};
