import { arrayCallbacks } from "./array-callbacks.ts";
import { arrayChanges } from "./array-changes.ts";
import { arraySorts } from "./array-sorts.ts";
import type { Invocation } from "../ir/code.ts";
import { isPrimitive, kindOf, mixesNumbers } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import {
  isSimple,
  pyBinary,
  pyCall,
  pyIf,
  pyInt,
  pyList,
  pyName,
  pySlice,
  pyStar,
  pySubscript,
} from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { position } from "../ranges/num.ts";
import { argument, calls, receiverOf, receiverText } from "./arguments.ts";
import type { PropertyRows, Row, Rows } from "./row.ts";
import { lengthOf, slice } from "./string.ts";

const readers: Rows = {
  slice,
  at: {
    lower(call, lowering) {
      const [list, index] = [lowering.expression(receiverOf(call)), argument(call, 0)];
      const isLast =
        index.kind === "unary" &&
        index.operator === "-" &&
        index.operand.kind === "number" &&
        index.operand.value === 1;
      return isLast && isSimple(list)
        ? pyIf(
            receiverOf(call).claimed === true ? pyCall("len", list) : list,
            pySubscript(list, pyInt(-1)),
            pyName("undefined"),
          )
        : pyCall("from_end", list, lowering.expression(index));
    },
  },
  includes: {
    instead: "`list.slice(from).includes(value)`",
    lower(call, lowering) {
      const { type } = argument(call, 0);
      const isPlain = kindOf(type) === "string" || kindOf(type) === "bigint";
      return compared(call, lowering, (list, item) =>
        isPlain ? pyBinary("in", item, list) : pyCall("contains", list, item),
      );
    },
  },
  indexOf: {
    instead: "`list.findIndex((x, i) => i >= from && x === value)`",
    lower: (call, lowering) => compared(call, lowering, (...parts) => pyCall("position", ...parts)),
    number: () => position,
  },
  lastIndexOf: {
    instead: "`list.slice(0, from + 1).lastIndexOf(value)`",
    lower: (call, lowering) => compared(call, lowering, (...parts) => pyCall("last_position", ...parts)),
    number: () => position,
  },
  join: calls("join", [0, 1]),
  concat: {
    args: [0, Infinity],
    fresh: true,
    lower: (call, lowering) =>
      pyList([
        pyStar(lowering.expression(receiverOf(call))),
        ...call.args.map(({ spread, value }) => {
          if (spread)
            return lowering.refuse(
              value.at,
              "function/built-in",
              "`.concat()` with a spread",
              "`[...a, ...b]`",
            );
          return kindOf(value.type) === "array"
            ? pyStar(lowering.expression(value))
            : lowering.expression(value);
        }),
      ]),
  },
  flat: calls("flat", [0, 1], { fresh: true }),
  toReversed: {
    args: [0, 0],
    fresh: true,
    lower: (call, lowering) =>
      pySlice(lowering.expression(receiverOf(call)), undefined, undefined, pyInt(-1)),
  },
  keys: {
    args: [0, 0],
    lower(call, lowering) {
      const receiver = receiverOf(call);
      const size =
        receiver.kind === "invocation" && receiver.row === "new Array" ? receiver.args[0] : undefined;
      const count = size && lowering.num(size.value);
      return pyCall(
        "range",
        size !== undefined && count?.kind === "int" && count.low >= 0
          ? lowering.expression(size.value)
          : pyCall("len", lowering.expression(receiver)),
      );
    },
  },
  values: { args: [0, 0], lower: (call, lowering) => lowering.expression(receiverOf(call)) },
  entries: {
    args: [0, 0],
    lower: (call, lowering) =>
      pyCall("map", pyName("list"), pyCall("enumerate", lowering.expression(receiverOf(call)))),
  },
  toString: { args: [0, 0], lower: receiverText } satisfies Row,
};

/** A search for a value, unless Python's `==` may differ from `===`. */
const compared = (
  call: Invocation,
  lowering: Lowering,
  search: (list: PyExpression, item: PyExpression) => PyExpression,
): PyExpression => {
  const [{ type: of }, { type }] = [receiverOf(call), argument(call, 0)];
  const refuse = (why: string): PyExpression =>
    lowering.refuse(
      call.at,
      "function/mixed-kinds",
      `\`${call.row.replace(/^\w+/, "")}()\` of \`${type.text}\`: ${why}`,
      "`some` or `findIndex` with `===`",
    );
  if (!isPrimitive(type)) return refuse("Python compares objects by value");
  if (mixesNumbers([type, of.element, ...(of.items ?? [])]))
    return refuse("Python compares numbers with bigints and booleans");
  return search(lowering.expression(receiverOf(call)), lowering.expression(argument(call, 0)));
};

/** Typed arrays are lists in Python, and share the array methods that only read, select or reorder elements. */
const typedReaders =
  "at includes indexOf lastIndexOf join filter some every find findIndex findLast findLastIndex reduce forEach keys values entries sort toSorted reverse toReversed with".split(
    " ",
  );
const rows: Readonly<Record<string, Row | undefined>> = {
  ...readers,
  ...arrayCallbacks,
  ...arraySorts,
  ...arrayChanges,
};

/** Array methods, and typed-array methods that only read. */
export const arrays: Rows = {
  ...Object.fromEntries(Object.entries(rows).map(([name, row]) => [`array.${name}`, row])),
  ...Object.fromEntries(typedReaders.map((name) => [`typed.${name}`, rows[name]])),
  "typed.slice": slice,
  "typed.subarray": { ...slice, fresh: false },
};

export const arrayProperties: PropertyRows = { "array.length": lengthOf, "typed.length": lengthOf };
