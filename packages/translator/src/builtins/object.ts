import type { Invocation } from "../ir/code.ts";
import { isAlways, kindOf } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import {
  pyBinary,
  pyCall,
  pyComprehension,
  pyMethod,
  pyName,
  pyRun,
  pyTuple,
  pyVariable,
} from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { clauseOf, elementOf, ofIndex, rangeOf } from "./array-callbacks.ts";
import { argument, orNothing, receiverOf } from "./arguments.ts";
import { length } from "../ranges/num.ts";
import { type Rows, type TranslatedRow, untranslated } from "./row.ts";

/** The argument if it is a record, otherwise a refusal. */
const record = (call: Invocation, lowering: Lowering): PyExpression => {
  const of = argument(call, 0);
  return isAlways(of.type, "record")
    ? lowering.expression(of)
    : lowering.refuseAny(of, "the properties of {type}", "a record");
};
const ofRecord = (name: string): TranslatedRow => ({
  fresh: true,
  lower: (call, lowering) => pyCall(name, record(call, lowering)),
});

const values: TranslatedRow = {
  fresh: true,
  lower(call, lowering) {
    const [key, value] = [lowering.temporary("_", call.type), lowering.temporary("v", call.type)];
    const iterable = lowering.source(() => pyCall("entries", record(call, lowering)));
    const target = pyTuple([pyVariable(key), pyVariable(value)]);
    return pyComprehension("list", pyVariable(value), { target, iterable });
  },
};

const from: TranslatedRow = {
  args: [1, 2],
  fresh: true,
  callback: [undefined, length],
  lower(call, lowering) {
    const [of, callback] = [argument(call, 0), call.args[1]?.value];
    const size = of.kind === "record" && of.entries.length === 1 ? of.entries[0] : undefined;
    if (size !== undefined && "key" in size && size.key === "length") {
      if (!isAlways(size.value.type, "number"))
        return lowering.refuseKind(size.value, "a length of {type}", "a number");
      const range = rangeOf(size.value, lowering);
      if (callback === undefined || callback.kind !== "lambda")
        return lowering.refuse(
          call.at,
          "function/array-hole",
          "`Array.from({ length })` without a function",
          "`Array.from({ length }, () => value)`",
        );
      const inlined = lowering.inline(ofIndex(callback), elementOf(call.type), "value");
      return pyComprehension("list", inlined.value, { target: inlined.target, iterable: range });
    }
    const source = (): PyExpression => lowering.iterable(of);
    if (callback === undefined) return pyCall("list", source());
    lowering.steadyWhile(of, callback);
    const iterable = lowering.source(source);
    const inlined = lowering.inline(callback, elementOf(of.type), "value");
    return pyComprehension("list", inlined.value, clauseOf(inlined, iterable));
  },
};

const isArray: TranslatedRow = {
  lower(call, lowering) {
    const of = argument(call, 0);
    if (of.type.kinds.some((kind) => kind === "unknown" || kind === "typed"))
      return lowering.refuseAny(of, "`Array.isArray` of {type}");
    return pyCall("isinstance", lowering.expression(of), pyName("list"));
  },
};

/** Functions of Object and Array. */
export const objects: Rows = {
  "Object.keys": ofRecord("keys"),
  "Object.entries": ofRecord("entries"),
  "Object.values": values,
  "Object.hasOwn": {
    args: [2, 2],
    lower: (call, lowering) => pyBinary("in", lowering.text(argument(call, 1)), record(call, lowering)),
  },
  "Object.fromEntries": {
    fresh: true,
    lower(call, lowering) {
      const of = argument(call, 0);
      const key = kindOf(of.type) === "map" ? of.type.key : of.type.element?.items?.[0];
      if (key === undefined || kindOf(key) !== "string")
        return lowering.refuseKind(of, "`Object.fromEntries` of {type}", "pairs that start with a string");
      return pyCall("dict", lowering.iterable(of, true));
    },
  },
  "Object.is": {
    args: [2, 2],
    lower(call, lowering) {
      const [left, right] = [argument(call, 0), argument(call, 1)];
      const { at } = call;
      const numbers = [left, right].filter(({ type }) => kindOf(type) === "number");
      if (numbers.length === 0)
        return lowering.expression({ kind: "binary", operator: "===", left, right, type: call.type, at });
      if (
        numbers.length < 2 ||
        left.type.undefined ||
        left.type.null ||
        right.type.undefined ||
        right.type.null
      )
        return lowering.refuse(
          at,
          "function/mixed-kinds",
          `\`Object.is\` of \`${left.type.text}\` and \`${right.type.text}\``,
          "`===`",
        );
      return pyCall("same_number", lowering.expression(left), lowering.expression(right));
    },
  },
  "Object.create": {
    fresh: true,
    lower(call, lowering) {
      const of = argument(call, 0);
      return of.kind === "constant" && of.value === "null"
        ? { kind: "dict", entries: [] }
        : lowering.refuse(call.at, "function/built-in", "`Object.create` of a prototype", "`{ ...record }`");
    },
  },
  "Object.groupBy": untranslated("a loop with `(groups[key] ??= []).push(x)`"),
  "Map.groupBy": untranslated("a loop with `groups.set(key, [...(groups.get(key) ?? []), x])`"),
  "Object.freeze": { lower: (call, lowering) => lowering.expression(argument(call, 0)) },
  "record.assign": {
    args: [0, Infinity],
    changes: true,
    lower: (call, lowering) =>
      lowering.refuse(
        call.at,
        "function/effect-in-expression",
        "the value of `Object.assign()`, which changes its first argument",
        "`{ ...a, ...b }`",
      ),
    statement: (call, lowering) =>
      call.args.map(({ spread, value }) => {
        if (spread || !isAlways(value.type, "record"))
          lowering.refuseKind(value, "`Object.assign()` of {type}", "a record");
        return pyRun(
          pyMethod(
            lowering.expression(receiverOf(call)),
            "update",
            orNothing(value, lowering.expression(value), { kind: "dict", entries: [] }),
          ),
        );
      }),
  },
  "Array.isArray": isArray,
  "Array.from": from,
  "Array.of": {
    args: [0, Infinity],
    fresh: true,
    lower: (call, lowering) => ({ kind: "list", items: lowering.args(call) }),
  },
};
