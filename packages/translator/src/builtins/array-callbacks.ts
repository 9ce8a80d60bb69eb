import type { Expression, Invocation, Lambda } from "../ir/code.ts";
import { substituteIn } from "../ir/substitute.ts";
import { type ValueType, isAlways, typeOfKind, unknown } from "../ir/value-type.ts";
import type { Inlined, Lowering } from "../lower/lowering.ts";
import { pyAttribute, pyCall, pyComprehension, pyInt, pyName, pyTuple, pyVariable } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { widthOf } from "../ranges/callers.ts";
import { length, type Num, position } from "../ranges/num.ts";
import { argument, receiverOf } from "./arguments.ts";
import type { Rows, TranslatedRow } from "./row.ts";

/** The parameters of a callback that takes an element and its index. */
const elementAndIndex: readonly (Num | undefined)[] = [undefined, length];

interface Each extends Inlined {
  readonly clause: { readonly target: PyExpression; readonly iterable: PyExpression };
  /** The value that is iterated over. */
  readonly source: PyExpression;
}

/** Inlines a callback over the elements of the receiver. */
const each = (call: Invocation, lowering: Lowering, form: "value" | "condition"): Each => {
  const { receiver, callback } = withoutArray(call, lowering);
  const source = lowering.source(() => lowering.expression(receiver));
  const inlined = lowering.inline(callback, elementOf(receiver.type), form);
  return { ...inlined, clause: clauseOf(inlined, source), source };
};

/** Replaces a callback's third parameter, the array, with the array's variable or a temporary one. */
export const withoutArray = (
  call: Invocation,
  lowering: Lowering,
  at = 2,
): { readonly receiver: Expression; readonly callback: Expression } => {
  const [receiver, callback] = [receiverOf(call), argument(call, 0)];
  const third = callback.kind === "lambda" ? callback.parameters[at] : undefined;
  if (callback.kind !== "lambda" || third?.pattern.kind !== "bind" || third.rest)
    return { receiver, callback };
  const { variable } = third.pattern;
  const named = receiver.kind === "variable" ? receiver : lowering.named(receiver);
  if (named === undefined) return { receiver, callback };
  return {
    receiver: named,
    callback: substituteIn({ ...callback, parameters: callback.parameters.slice(0, at) }, variable, named),
  };
};

export const clauseOf = (
  { target, index }: Inlined,
  source: PyExpression,
): { readonly target: PyExpression; readonly iterable: PyExpression } =>
  index === undefined
    ? { target, iterable: source }
    : { target: pyTuple([index, target]), iterable: pyCall("enumerate", source) };

/** `from({ length }, callback)` uses only the callback's second parameter, the index. */
export const ofIndex = (callback: Lambda): Lambda => ({
  ...callback,
  parameters: callback.parameters.slice(1, 2),
});

/** `range(size)`. */
export const rangeOf = (size: Expression, lowering: Lowering): PyExpression =>
  lowering.source(() => {
    const count = lowering.expression(size);
    const isInt = lowering.num(size).kind === "int";
    return pyCall("range", isInt ? count : pyCall("whole", count, pyInt(0), pyInt(2 ** 32 - 1)));
  });

export const elementOf = (type: ValueType): ValueType => type.element ?? unknown;

const asks = (name: "any" | "all"): TranslatedRow => ({
  callback: elementAndIndex,
  lower(call, lowering) {
    const { clause, value } = each(call, lowering, "condition");
    return pyCall(name, pyComprehension("generator", value, clause));
  },
});

/** Indices and elements, starting from the end. */
const backwardsOf = (source: PyExpression): PyExpression =>
  pyCall("reversed", pyCall("list", pyCall("enumerate", source)));

const finds = (made: "element" | "position", backwards: boolean): TranslatedRow => ({
  callback: elementAndIndex,
  ...(made === "position" ? { number: () => position } : {}),
  lower(call, lowering) {
    const found = each(call, lowering, "condition");
    const { value: test, target, source } = found;
    if (made === "element") {
      const clause = backwards
        ? found.index === undefined
          ? { target, iterable: pyCall("reversed", source) }
          : { target: pyTuple([found.index, target]), iterable: backwardsOf(source) }
        : found.clause;
      return pyCall("next", pyComprehension("generator", target, { ...clause, test }), pyName("undefined"));
    }
    const index = found.index ?? pyVariable(lowering.temporary("i", typeOfKind("number")));
    const iterable = backwards ? backwardsOf(source) : pyCall("enumerate", source);
    return pyCall(
      "next",
      pyComprehension("generator", index, { target: pyTuple([index, target]), iterable, test }),
      pyInt(-1),
    );
  },
});

const reduces = (backwards: boolean): TranslatedRow => ({
  args: [1, 2],
  callback: [undefined, undefined, length],
  lower(call, lowering) {
    const { receiver, callback } = withoutArray(call, lowering, 3);
    const start = call.args[1];
    const taken = callback.kind === "lambda" ? callback.parameters.length : callback.type.parameters?.length;
    if (Math.max(taken ?? 0, callback.kind === "lambda" ? widthOf(callback) : 0) > 3)
      return lowering.refuse(
        callback.at,
        "function/syntax",
        "a callback that takes the array as an argument",
        "the array's own name",
      );
    if (callback.kind !== "lambda" && lowering.takes(callback) > Math.max(taken ?? 0, 2))
      return lowering.refuse(
        callback.at,
        "function/syntax",
        "a function that may take more arguments than its type declares",
        "`(sum, x) => f(sum, x)`",
      );
    if (taken === 3 || (backwards && start === undefined)) {
      const arity = 3;
      const combine = lowering.callable(callback.kind === "lambda" ? { ...callback, arity } : callback);
      if (taken !== 3 && callback.kind !== "lambda")
        return lowering.refuse(callback.at, "function/built-in", "this `reduceRight`", "a first value");
      const source = lowering.expression(receiver);
      const pairs = backwards ? backwardsOf(source) : pyCall("enumerate", source);
      return pyCall(
        "fold",
        pairs,
        combine,
        ...(start === undefined ? [] : [lowering.expression(start.value)]),
      );
    }
    const combine = lowering.callable(callback.kind === "lambda" ? { ...callback, arity: 2 } : callback);
    const items = lowering.expression(receiver);
    if (start === undefined) return pyCall("reduce_from_first", items, combine);
    return pyCall(
      pyAttribute(pyName("functools"), "reduce"),
      combine,
      backwards ? pyCall("reversed", items) : items,
      lowering.expression(start.value),
    );
  },
});

/** Array methods that take a callback. */
export const arrayCallbacks: Rows = {
  map: {
    fresh: true,
    callback: elementAndIndex,
    lower(call, lowering) {
      const { clause, value } = each(call, lowering, "value");
      return pyComprehension("list", value, clause);
    },
  },
  filter: {
    fresh: true,
    callback: elementAndIndex,
    lower(call, lowering) {
      const { clause, value: test, target } = each(call, lowering, "condition");
      return pyComprehension("list", target, { ...clause, test });
    },
  },
  flatMap: {
    fresh: true,
    callback: elementAndIndex,
    lower(call, lowering) {
      const callback = argument(call, 0);
      const made = callback.kind === "lambda" ? callback.result : unknown;
      if (!isAlways(made, "array")) {
        const { clause, value } = each(call, lowering, "value");
        return pyCall("flat", pyComprehension("list", value, clause));
      }
      const { clause, value } = lowering.source(() => each(call, lowering, "value"));
      const item = pyName("item_");
      return pyComprehension("list", item, clause, { target: item, iterable: value });
    },
  },
  some: asks("any"),
  every: asks("all"),
  find: finds("element", false),
  findIndex: finds("position", false),
  findLast: finds("element", true),
  findLastIndex: finds("position", true),
  reduce: reduces(false),
  reduceRight: reduces(true),
  forEach: {
    refuse: "function/effect-in-expression",
    why: "it is inside an expression",
    instead: "a separate statement, or `for…of`",
  },
};
