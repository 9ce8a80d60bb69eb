import type { Expression } from "../ir/code.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyBinary, pyCall, pyInt, pyMethod, pyName, pySlice } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { anyNumber, isInt, length, type Num, position } from "../ranges/num.ts";
import { argument, calls, lowered, receiverOf, sureReceiver } from "./arguments.ts";
import { stringPatterns } from "./string-patterns.ts";
import type { PropertyRows, Rows, TranslatedRow } from "./row.ts";

/** Whether a slice bound means the same in Python, as a non-negative int does. */
const isCount = (lowering: Lowering, bound: Expression | undefined): boolean => {
  if (bound === undefined) return true;
  const num = lowering.num(bound);
  return isInt(num) && num.low >= 0;
};
/** Whether a bound is a literal that counts from the end. */
const isFromEnd = (bound: Expression | undefined): boolean =>
  bound?.kind === "unary" &&
  bound.operator === "-" &&
  bound.operand.kind === "number" &&
  bound.operand.value > 0 &&
  Number.isInteger(bound.operand.value);

/** `slice` of strings and arrays. */
export const slice: TranslatedRow = {
  args: [0, 2],
  fresh: true,
  lower(call, lowering) {
    const [from, to] = call.args.map(({ value }) => value);
    const object = lowering.expression(receiverOf(call));
    const isPlain = (bound: Expression | undefined): boolean => isCount(lowering, bound) || isFromEnd(bound);
    if (!isPlain(from) || !isPlain(to)) return pyCall("cut", object, ...lowering.args(call));
    const start = from?.kind === "number" && from.value === 0 ? undefined : from && lowering.expression(from);
    return pySlice(object, start, to && lowering.expression(to));
  },
};

const found = (args: readonly Num[]): Num => (args.length < 0 ? anyNumber : position);

const trim = (name: string): TranslatedRow => ({
  args: [0, 0],
  lower: (call, lowering) => pyMethod(lowering.expression(receiverOf(call)), name, pyName("WHITESPACE")),
});

/** A search. Without a start position, the call uses Python's own method. */
const search = (name: string, withStart: string): TranslatedRow => ({
  args: [1, 2],
  number: found,
  lower: (call, lowering) => {
    const [text, what, ...start] = lowered(call, lowering);
    if (text === undefined || what === undefined) return pyName("undefined");
    return start.length === 0 ? pyMethod(text, name, what) : pyCall(withStart, text, what, ...start);
  },
});

/** `startsWith` and `endsWith`, which may cut the string at a position first. */
const affix = (name: "startswith" | "endswith"): TranslatedRow => ({
  args: [1, 2],
  lower(call, lowering) {
    const [text, what, at] = lowered(call, lowering);
    if (text === undefined || what === undefined) return pyName("undefined");
    if (at === undefined) return pyMethod(text, name, what);
    const bounds = name === "startswith" ? [at] : [undefined, at];
    const part = isCount(lowering, call.args[1]?.value)
      ? pySlice(text, ...bounds)
      : pyCall("substring", text, ...bounds.map((bound) => bound ?? pyInt(0)));
    return pyMethod(part, name, what);
  },
});

/** `padStart` and `padEnd`. */
const pad = (
  parts: (text: PyExpression, again: PyExpression, rest: readonly PyExpression[]) => readonly PyExpression[],
): TranslatedRow => ({
  args: [1, 2],
  lower(call, lowering) {
    const [text = pyName("undefined"), ...rest] = lowered(call, lowering);
    return lowering.hold(text, receiverOf(call).type, (first, again) => joined(parts(first, again, rest)));
  },
});

const joined = (parts: readonly PyExpression[]): PyExpression =>
  parts.reduce((left, right) => pyBinary("+", left, right));

const locale = { refuse: "function/locale", why: "results depend on the machine's locale data" } as const;

const tooNew = {
  refuse: "function/built-in",
  why: "not available in every version of Node that can run a build",
} as const;

/** String methods. Strings are sequences of UTF-16 units. */
export const strings: Rows = {
  "string.slice": { ...slice, fresh: false },
  "string.substring": calls("substring", [1, 2]),
  "string.at": calls("from_end", [1, 1]),
  "string.charAt": calls("char_at", [0, 1]),
  "string.charCodeAt": calls("char_code_at", [0, 1]),
  "string.codePointAt": calls("code_point_at", [0, 1]),
  "string.indexOf": search("find", "index_of"),
  "string.lastIndexOf": search("rfind", "last_index_of"),
  "string.includes": {
    instead: "`text.substring(from).includes(part)`",
    lower: (call, lowering) =>
      pyBinary("in", lowering.expression(argument(call, 0)), lowering.expression(receiverOf(call))),
  },
  "string.startsWith": affix("startswith"),
  "string.endsWith": affix("endswith"),
  "string.toLowerCase": calls("lower", [0, 0]),
  "string.toUpperCase": calls("upper", [0, 0]),
  "string.trim": trim("strip"),
  "string.trimStart": trim("lstrip"),
  "string.trimEnd": trim("rstrip"),
  "string.padStart": pad((text, again, rest) => [pyCall("pad", text, ...rest), again]),
  "string.padEnd": pad((text, again, rest) => [text, pyCall("pad", again, ...rest)]),
  "string.repeat": calls("repeat", [1, 1]),
  "string.concat": {
    args: [0, Infinity],
    lower: (call, lowering) =>
      joined([sureReceiver(call, lowering), ...call.args.map(({ value }) => lowering.text(value))]),
  },
  "string.normalize": calls("normalize", [0, 1]),
  "string.toString": { args: [0, 0], lower: sureReceiver },
  "string.isWellFormed": tooNew,
  "string.toWellFormed": tooNew,
  "string.localeCompare": {
    ...locale,
    instead: "`(a, b) => (a < b ? -1 : a > b ? 1 : 0)`, which compares UTF-16 units",
  },
  "string.toLocaleLowerCase": { ...locale, instead: "`toLowerCase()`" },
  "string.toLocaleUpperCase": { ...locale, instead: "`toUpperCase()`" },
  "string.substr": {
    refuse: "function/built-in",
    why: "it is a deprecated form of `slice`",
    instead: "`slice(start)`, or `slice(start).slice(0, Math.max(length, 0))`",
  },
  ...stringPatterns,
};

/** The number of units, elements or entries. */
export const lengthOf: PropertyRows[string] = {
  number: length,
  lower: (of) => pyCall("len", ...(of === undefined ? [] : [of])),
};
export const stringProperties: PropertyRows = { "string.length": lengthOf };
