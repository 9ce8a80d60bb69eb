import { arrayCallbacks } from "./array-callbacks.ts";
import { arrayChanges } from "./array-changes.ts";
import { arraySorts } from "./array-sorts.ts";
import { kindOf } from "../ir/value-type.ts";
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
import { length, position } from "../ranges/num.ts";
import { argument, calls, receiverOf, receiverText } from "./arguments.ts";
import type { PropertyRows, Row, Rows } from "./row.ts";
import { slice } from "./string.ts";

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
    lower(call, lowering) {
      const what = argument(call, 0);
      const [list, item] = [lowering.expression(receiverOf(call)), lowering.expression(what)];
      if (what.type.kinds.some((kind) => !values.has(kind)))
        return lowering.refuse(
          call.at,
          "function/mixed-kinds",
          `\`.includes()\` of \`${what.type.text}\`: Python compares objects by value`,
          "`some` with `===`",
        );
      return kindOf(what.type) === "string" || kindOf(what.type) === "bigint"
        ? pyBinary("in", item, list)
        : pyCall("contains", list, item);
    },
  },
  indexOf: { ...calls("position", [1, 1]), number: () => position },
  lastIndexOf: { ...calls("last_position", [1, 1]), number: () => position },
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

const values: ReadonlySet<string> = new Set(["string", "number", "bigint", "boolean"]);

/** Typed arrays are lists in Python, and share the array methods that only read or reorder elements. */
const typedReaders =
  "at includes indexOf lastIndexOf join some every find findIndex findLast findLastIndex reduce forEach keys values entries sort toSorted reverse toReversed with".split(
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

const lengthOf: PropertyRows[string] = {
  number: length,
  lower: (list) => pyCall("len", ...(list === undefined ? [] : [list])),
};
export const arrayProperties: PropertyRows = { "array.length": lengthOf, "typed.length": lengthOf };
