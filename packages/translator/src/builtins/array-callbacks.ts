import type { Expression, Invocation } from "../ir/code.ts";
import { kindOf, unknown, type ValueType } from "../ir/value-type.ts";
import type { Inlined, Lowering } from "../lower/lowering.ts";
import { pyAttribute, pyCall, pyInt, pyName, pyTuple } from "../python/build.ts";
import type { PyComprehension, PyExpression } from "../python/syntax.ts";
import { length, type Num, position } from "../ranges/num.ts";
import { argument, receiverOf } from "./arguments.ts";
import type { Rows, TranslatedRow } from "./row.ts";

/** Parameters of a callback of an element and its position. */
const elementAndIndex: readonly (Num | undefined)[] = [undefined, length];

interface Each extends Inlined {
  readonly clause: { readonly target: PyExpression; readonly iterable: PyExpression };
}

/** A callback over the elements of the receiver. */
const each = (
  call: Invocation,
  lowering: Lowering,
  form: "value" | "condition",
  callback: Expression = argument(call, 0),
): Each => {
  const receiver = receiverOf(call);
  const source = lowering.source(() => lowering.expression(receiver));
  const inlined = lowering.inline(callback, elementOf(receiver.type), form);
  return { ...inlined, clause: clauseOf(inlined, source) };
};

export const clauseOf = (
  { target, index }: Inlined,
  source: PyExpression,
): { readonly target: PyExpression; readonly iterable: PyExpression } =>
  index === undefined
    ? { target, iterable: source }
    : { target: pyTuple([index, target]), iterable: pyCall("enumerate", source) };

export const elementOf = (type: ValueType): ValueType => type.element ?? unknown;

const list = (element: PyExpression, ...clauses: PyComprehension["clauses"]): PyExpression => ({
  kind: "comprehension",
  form: "list",
  element,
  clauses,
});
const generator = (element: PyExpression, ...clauses: PyComprehension["clauses"]): PyExpression => ({
  kind: "comprehension",
  form: "generator",
  element,
  clauses,
});

const asks = (name: "any" | "all"): TranslatedRow => ({
  args: [1, 1],
  callback: elementAndIndex,
  lower(call, lowering) {
    const { clause, value } = each(call, lowering, "condition");
    return pyCall(name, generator(pyBool(value), clause));
  },
});

/** `any` and `all` judge what they are given by themselves. */
const pyBool = (value: PyExpression): PyExpression => value;

const finds = (made: "element" | "position", backwards: boolean): TranslatedRow => ({
  args: [1, 1],
  callback: elementAndIndex,
  ...(made === "position" ? { number: () => position } : {}),
  lower(call, lowering) {
    if (backwards)
      return lowering.refuse(
        call.at,
        "function/built-in",
        "searching from the end",
        "`toReversed().find(…)`",
      );
    const found = each(call, lowering, "condition");
    const { clause, value: test, target } = found;
    if (made === "element")
      return pyCall("next", generator(target, { ...clause, test }), pyName("undefined"));
    const index = found.index ?? pyName("i");
    const iterable = found.index === undefined ? pyCall("enumerate", clause.iterable) : clause.iterable;
    return pyCall("next", generator(index, { target: pyTuple([index, target]), iterable, test }), pyInt(-1));
  },
});

const reduce: TranslatedRow = {
  args: [1, 2],
  lower(call, lowering) {
    const callback = argument(call, 0);
    const start = call.args[1];
    if (callback.kind === "lambda" && callback.parameters.length > 2)
      return lowering.refuse(
        callback.at,
        "function/built-in",
        "`.reduce()` with the position",
        "`for…of` over `entries()`",
      );
    const combine = lowering.callable(callback.kind === "lambda" ? { ...callback, arity: 0 } : callback);
    const receiver = lowering.expression(receiverOf(call));
    if (start === undefined) return pyCall("reduce_from_first", receiver, combine);
    return pyCall(
      pyAttribute(pyName("functools"), "reduce"),
      combine,
      receiver,
      lowering.expression(start.value),
    );
  },
};

/** Methods of arrays that call back. */
export const arrayCallbacks: Rows = {
  map: {
    args: [1, 1],
    fresh: true,
    callback: elementAndIndex,
    lower(call, lowering) {
      const { clause, value } = each(call, lowering, "value");
      return list(value, clause);
    },
  },
  filter: {
    args: [1, 1],
    fresh: true,
    callback: elementAndIndex,
    lower(call, lowering) {
      const { clause, value: test, target } = each(call, lowering, "condition");
      return list(target, test.kind === "name" && test.id === "True" ? clause : { ...clause, test });
    },
  },
  flatMap: {
    args: [1, 1],
    fresh: true,
    callback: elementAndIndex,
    lower(call, lowering) {
      const callback = argument(call, 0);
      const made = callback.kind === "lambda" ? callback.result : unknown;
      if (kindOf(made) !== "array" || made.undefined || made.null)
        return lowering.refuse(
          callback.at,
          "function/built-in",
          `\`.flatMap()\` with a callback that returns \`${made.text}\``,
          "an array in every case",
        );
      const { clause, value } = lowering.source(() => each(call, lowering, "value"));
      const item = pyName("item_");
      return list(item, clause, { target: item, iterable: value });
    },
  },
  some: asks("any"),
  every: asks("all"),
  find: finds("element", false),
  findIndex: finds("position", false),
  findLast: finds("element", true),
  findLastIndex: finds("position", true),
  reduce,
  reduceRight: {
    refuse: "function/built-in",
    why: "folding from the end",
    instead: "`toReversed().reduce(…)`",
  },
  forEach: {
    refuse: "function/effect-in-expression",
    why: "it stands inside of an expression",
    instead: "a statement of its own, or `for…of`",
  },
};
