import type { Expression, Invocation } from "../ir/code.ts";
import { isAlways, isMissing, kindOf } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import { missingTest } from "../lower/operators/missing.ts";
import { operand } from "../lower/operators/operand.ts";
import {
  pyAttribute,
  pyBinary,
  pyCall,
  pyFloat,
  pyIf,
  pyInt,
  pyList,
  pyMethod,
  pyName,
  pyNegative,
  pyText,
} from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { anyNumber, float, isInt, length } from "../ranges/num.ts";
import { argument, calls, receiverText } from "./arguments.ts";
import { constant } from "./math.ts";
import type { PropertyRows, Rows, TranslatedRow } from "./row.ts";

const refuseOf = (lowering: Lowering, name: string, of: Expression, instead?: string): PyExpression =>
  lowering.refuseAny(of, `\`${name}\` of {type}`, instead);

const toNumber: TranslatedRow = {
  number: ([x = anyNumber], call) => {
    const kind = kindOf(argument(call, 0).type);
    return kind === "number"
      ? x
      : kind === "bigint"
        ? float
        : kind === "boolean"
          ? { kind: "int", low: 0, high: 1 }
          : anyNumber;
  },
  lower(call, lowering) {
    const x = argument(call, 0);
    const kind = kindOf(x.type);
    const isAsserted = (kind === "number" || kind === "boolean") && lowering.isAsserted(x);
    if (isAsserted || isMissing(x.type))
      return maybeNumber(lowering, isAsserted ? { ...x, type: { ...x.type, undefined: true } } : x);
    const value = operand(lowering, x);
    switch (kind) {
      case "string":
        return pyCall("to_number", value);
      case "bigint":
        return pyCall("big_number", value);
      case "boolean":
        return pyCall("int", value);
      case "number":
        return value;
      default:
        return refuseOf(lowering, "Number", x);
    }
  },
};

/** `Number(undefined)` is NaN, `Number(null)` is 0. */
const maybeNumber = (lowering: Lowering, x: Expression): PyExpression => {
  const { type } = x;
  const kind = kindOf(type);
  const convert = (value: PyExpression): PyExpression | undefined =>
    kind === "string"
      ? pyCall("to_number", value)
      : kind === "number"
        ? value
        : kind === "boolean"
          ? pyCall("int", value)
          : undefined;
  if (convert(pyName("_")) === undefined)
    return refuseOf(lowering, "Number", x, "a check beforehand, or `??`");
  return lowering.hold(lowering.expression(x), type, (first, again) => {
    const present = convert(again) ?? again;
    if (type.undefined && type.null)
      return pyIf(
        missingTest(first, type, true),
        pyIf(pyBinary("is", again, pyName("None")), pyFloat(0), pyName("NAN")),
        present,
      );
    return pyIf(missingTest(first, type, false), present, type.null ? pyFloat(0) : pyName("NAN"));
  });
};

const toBigInt: TranslatedRow = {
  lower(call, lowering) {
    const x = argument(call, 0);
    if (isMissing(x.type)) return refuseOf(lowering, "BigInt", x, "a check beforehand, or `??`");
    const value = lowering.expression(x);
    switch (kindOf(x.type)) {
      case "number":
        return isInt(lowering.num(x)) ? value : pyCall("bigint", value);
      case "string":
        return pyCall("text_bigint", value);
      case "boolean":
        return pyCall("int", value);
      case "bigint":
        return value;
      default:
        return refuseOf(lowering, "BigInt", x);
    }
  },
};

const toBoolean: TranslatedRow = {
  lower: (call, lowering) => pyCall("bool", lowering.condition(argument(call, 0))),
};

const newError = (name: string): TranslatedRow => ({
  args: [0, 2],
  lower: (call: Invocation, lowering) => {
    const [message, options] = call.args.map(({ value }) => value);
    if (options !== undefined && !isCause(options))
      return lowering.refuse(options.at, "function/built-in", `options of \`new ${name}\``, "`{ cause }`");
    const text = message === undefined ? pyText("") : lowering.text(message);
    if (name === "Error") return pyCall("Thrown", ...(message === undefined ? [] : [text]));
    return pyCall("Thrown", text, pyText(name));
  },
});
/** Whether the options are `{ cause: error }`, which has no effect: a failed request returns only the message. */
const isCause = (options: Expression): boolean =>
  options.kind === "record" &&
  options.entries.every(
    (entry) => "key" in entry && entry.key === "cause" && ["variable", "text"].includes(entry.value.kind),
  );
const errors = ["Error", "RangeError", "TypeError", "SyntaxError"];

/** Functions and constructors of the global object. */
export const globals: Rows = {
  Number: toNumber,
  String: { lower: (call, lowering) => lowering.text(argument(call, 0)) },
  Boolean: toBoolean,
  BigInt: toBigInt,
  "String.fromCharCode": calls("from_char_code", [0, Infinity]),
  "String.fromCodePoint": calls("from_code_point", [0, Infinity]),
  "boolean.toString": { args: [0, 0], lower: receiverText },
  ...Object.fromEntries(
    errors.flatMap((name) => [
      [`new ${name}`, newError(name)],
      [name, newError(name)],
    ]),
  ),
  "new Array": {
    fresh: true,
    lower(call, lowering) {
      const size = argument(call, 0);
      if (!isAlways(size.type, "number"))
        return lowering.refuse(
          call.at,
          "function/array-hole",
          "`new Array` of anything other than a length",
          "`[…]`",
        );
      if (!lowering.holdsNoHoles(call))
        return lowering.refuse(
          call.at,
          "function/array-hole",
          "`new Array(n)` whose holes a method may skip",
          "`Array.from({ length: n }, () => value)`",
        );
      const count = lowering.num(size);
      return count.kind === "int" && count.low >= 0 && count.high < 2 ** 32
        ? pyBinary("*", pyList([pyName("undefined")]), lowering.expression(size))
        : pyCall("new_array", pyName("undefined"), lowering.expression(size));
    },
  },
};

const ofError = (name: string): PropertyRows[string] => ({
  lower: (error) => pyAttribute(error ?? pyName("undefined"), name),
});
const safest = Number.MAX_SAFE_INTEGER;
const whole = (value: number): PropertyRows[string] => ({
  number: { kind: "int", low: value, high: value },
  lower: () => pyInt(value),
});

export const globalProperties: PropertyRows = {
  NaN: { number: float, lower: () => pyName("NAN") },
  Infinity: { number: float, lower: () => pyName("INF") },
  "Number.NaN": { number: float, lower: () => pyName("NAN") },
  "Number.POSITIVE_INFINITY": { number: float, lower: () => pyName("INF") },
  "Number.NEGATIVE_INFINITY": { number: float, lower: () => pyNegative(pyName("INF")) },
  "Number.MAX_SAFE_INTEGER": whole(safest),
  "Number.MIN_SAFE_INTEGER": whole(-safest),
  "Number.EPSILON": constant(Number.EPSILON),
  "Number.MAX_VALUE": constant(Number.MAX_VALUE),
  "Number.MIN_VALUE": constant(Number.MIN_VALUE),
  "error.message": ofError("message"),
  "error.name": ofError("name"),
  "match.index": { number: length, lower: (match) => pyMethod(match ?? pyName("undefined"), "start") },
  "match.input": { lower: (match) => pyAttribute(match ?? pyName("undefined"), "string") },
  "match.groups": {
    lower: (match) => pyMethod(match ?? pyName("undefined"), "groupdict", pyName("undefined")),
  },
};
