import type { Expression, Invocation, Lambda } from "../ir/code.ts";
import { hasEffect } from "../ir/effects.ts";
import { substitute } from "../ir/substitute.ts";
import { isAlways, isMissing, kindOf, typeOfKind } from "../ir/value-type.ts";
import type { Variable } from "../ir/variable.ts";
import type { Lowering, Pattern, PatternUse } from "../lower/lowering.ts";
import { missingTest } from "../lower/operators/missing.ts";
import {
  pyAttribute,
  pyBinary,
  pyCall,
  pyCallWith,
  pyComprehension,
  pyIf,
  pyInt,
  pyLambda,
  pyList,
  pyMethod,
  pyName,
  pySlice,
  pyStar,
  pySubscript,
  pyText,
  pyVariable,
} from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { position } from "../ranges/num.ts";
import { argument, receiverOf, sureReceiver } from "./arguments.ts";
import { replacementOf } from "./replacement.ts";
import type { Rows, TranslatedRow } from "./row.ts";

const nothing: PyExpression = pyName("undefined");
const isPattern = ({ type }: Expression): boolean => kindOf(type) === "regexp";

/** Reads a pattern, and refuses those for which Python differs from JavaScript. */
const patternUnless =
  (differs: (pattern: Pattern) => boolean, what: string, instead?: string) =>
  (lowering: Lowering, expression: Expression, use: PatternUse = "groups"): Pattern | undefined => {
    const pattern = lowering.pattern(expression, use);
    if (pattern === undefined || !differs(pattern)) return pattern;
    lowering.refuse(expression.at, "function/regexp", what, instead);
    return undefined;
  };

/** A pattern for one search. The flag `g` is refused, because `test` and `exec` would continue at a stored position. */
const onceFrom = patternUnless(
  ({ flags }) => flags.includes("g"),
  "`test` or `exec` with the flag `g`, which remembers a position in the text",
  "the pattern without `g`, or `matchAll`",
);

/** A pattern for all matches. Refused if it can match the empty string, after which Python advances differently. */
const allFrom = patternUnless(
  ({ regexp }) => regexp.nullable && !regexp.empty,
  "all matches of a pattern that matches the empty string",
);

const search = (pattern: Pattern, text: PyExpression): PyExpression =>
  pyMethod(pattern.value, "search", text);

const test: TranslatedRow = {
  lower(call, lowering) {
    const pattern = onceFrom(lowering, receiverOf(call), "match");
    const text = lowering.text(argument(call, 0));
    return pattern === undefined ? nothing : pyBinary("is not", search(pattern, text), pyName("None"));
  },
};
const exec: TranslatedRow = {
  lower(call, lowering) {
    const pattern = onceFrom(lowering, receiverOf(call));
    const text = lowering.text(argument(call, 0));
    return pattern === undefined ? nothing : search(pattern, text);
  },
};

const match: TranslatedRow = {
  lower(call, lowering) {
    const of = argument(call, 0);
    if (!isPattern(of))
      return lowering.refuse(
        of.at,
        "function/regexp",
        "`.match()` with a string",
        "a regular expression, or `includes`",
      );
    if (kindOf(call.type) === "array")
      return pyBinary("or", textsOf(call, lowering) ?? nothing, pyName("None"));
    const pattern = lowering.pattern(of);
    const text = sureReceiver(call, lowering);
    if (pattern?.flags.includes("g") === true)
      return lowering.refuse(
        of.at,
        "function/regexp",
        "`.match()` with a pattern that has the flag `g`, but not where it is written",
        "a literal or a module-level `const`, or `[...s.matchAll(pattern)].map((m) => m[0])`",
      );
    return pattern === undefined ? nothing : search(pattern, text);
  },
};

/** A match used as an array: the matched text and the groups. */
const matchList: TranslatedRow = {
  args: [0, 0],
  fresh: true,
  lower(call, lowering) {
    const given = receiverOf(call);
    return lowering.hold(lowering.expression(given), given.type, (first, again) => {
      const listed = (whole: PyExpression): PyExpression =>
        pyList([pySubscript(whole, pyInt(0)), pyStar(pyMethod(again, "groups", nothing))]);
      return isMissing(given.type)
        ? pyIf(missingTest(first, given.type, false), listed(again), again)
        : listed(first);
    });
  },
};

/** All matches as strings, for `s.match(/x/g) ?? []`; undefined for any other expression. */
export const allMatches = (
  lowering: Lowering,
  left: Expression,
  right: Expression,
): PyExpression | undefined => {
  if (left.kind !== "invocation" || left.row !== "string.match") return undefined;
  if (right.kind !== "list" || right.items.length > 0) return undefined;
  return textsOf(left, lowering) ?? nothing;
};

/** All matches as strings. */
const textsOf = (left: Invocation, lowering: Lowering): PyExpression | undefined => {
  const of = argument(left, 0);
  const pattern = isPattern(of) ? allFrom(lowering, of, "match") : undefined;
  if (pattern === undefined) return undefined;
  if (!pattern.flags.includes("g"))
    return lowering.refuse(
      of.at,
      "function/regexp",
      "`.match()` without the flag `g` next to an array",
      "`const m = s.match(pattern)` and `if (m === null)`",
    );
  const one = pyVariable(lowering.temporary("m", typeOfKind("match")));
  const iterable = lowering.source(() => pyMethod(pattern.value, "finditer", sureReceiver(left, lowering)));
  return pyComprehension("list", pySubscript(one, pyInt(0)), { target: one, iterable });
};

const matchAll: TranslatedRow = {
  lower(call, lowering) {
    const of = argument(call, 0);
    const pattern = isPattern(of) ? allFrom(lowering, of) : undefined;
    const text = sureReceiver(call, lowering);
    if (pattern === undefined && isPattern(of)) return nothing;
    if (pattern?.flags.includes("g") !== true)
      return lowering.refuse(
        of.at,
        "function/regexp",
        "`.matchAll()` without the flag `g`",
        "a regular expression with `g`",
      );
    return pyMethod(pattern.value, "finditer", text);
  },
};

const searchRow: TranslatedRow = {
  number: () => position,
  lower(call, lowering) {
    const of = argument(call, 0);
    const pattern = lowering.pattern(of, "match");
    if (pattern === undefined) return nothing;
    const found = search(pattern, sureReceiver(call, lowering));
    return lowering.hold(found, typeOfKind("match"), (first, again) =>
      pyIf(first, pyMethod(again, "start"), pyInt(-1)),
    );
  },
};

const split: TranslatedRow = {
  args: [1, 2],
  fresh: true,
  lower(call, lowering) {
    const separator = argument(call, 0);
    const text = sureReceiver(call, lowering);
    if (isPattern(separator)) {
      const pattern = allFrom(lowering, separator);
      if (pattern === undefined) return nothing;
      if (pattern.regexp.groups?.every(({ optional }) => !optional) !== true)
        return lowering.refuse(
          call.at,
          "function/regexp",
          "`.split()` by a pattern with a group that may be missing, which gives an undefined part",
        );
      const parts = pattern.regexp.empty
        ? pyCall("split_between", pattern.value, text)
        : pyMethod(pattern.value, "split", text);
      const limit = call.args[1]?.value;
      const most = limit && lowering.num(limit);
      if (limit === undefined || most === undefined) return parts;
      return most.kind === "int" && most.low >= 0
        ? pySlice(parts, undefined, lowering.expression(limit))
        : pySlice(parts, undefined, pyCall("to_uint32", lowering.expression(limit)));
    }
    if (separator.kind === "text" && call.args.length === 1)
      return separator.value === ""
        ? pyCall("list", text)
        : pyMethod(text, "split", lowering.expression(separator));
    return pyCall("split", text, ...lowering.args(call));
  },
};

/** `replace` and `replaceAll`. */
const replace = (all: boolean): TranslatedRow => ({
  args: [2, 2],
  lower(call, lowering) {
    const what = argument(call, 0);
    return isPattern(what) ? replacePattern(call, lowering, what, all) : replaceText(call, lowering, all);
  },
});

const replaceText = (call: Invocation, lowering: Lowering, all: boolean): PyExpression => {
  const [what, by] = [argument(call, 0), argument(call, 1)];
  if (kindOf(by.type) === "function")
    return pyCall(
      "replace_by",
      lowering.expression(receiverOf(call)),
      lowering.expression(what),
      lowering.callable(by.kind === "lambda" ? { ...by, arity: Math.max(1, by.parameters.length) } : by),
      pyInt(by.kind === "lambda" ? Math.max(1, by.parameters.length) : (by.type.parameters?.length ?? 1)),
      ...(all ? [] : [pyInt(1)]),
    );
  if (by.kind !== "text" || by.value.includes("$")) {
    if (!isAlways(by.type, "string"))
      return lowering.refuse(
        by.at,
        "function/built-in",
        `\`.replace${all ? "All" : ""}()\` of a string by \`${by.type.text}\``,
        all ? "`split(a).join(b)`, or a regular expression with `g`" : "a string",
      );
    const given = [receiverOf(call), what, by].map((part) => lowering.expression(part));
    return pyCall("replace", ...given, ...(all ? [] : [pyInt(1)]));
  }
  const [text, from, to] = [receiverOf(call), what, by].map((part) => lowering.expression(part));
  return pyMethod(text ?? nothing, "replace", from ?? nothing, to ?? nothing, ...(all ? [] : [pyInt(1)]));
};

const replacePattern = (
  call: Invocation,
  lowering: Lowering,
  what: Expression,
  all: boolean,
): PyExpression => {
  const by = argument(call, 1);
  const use: PatternUse =
    (by.kind === "text" && !by.value.includes("$")) || (by.kind === "lambda" && by.parameters.length < 2)
      ? "match"
      : "groups";
  const pattern = lowering.pattern(what, use);
  if (pattern === undefined) return nothing;
  const isGlobal = pattern.flags.includes("g");
  if (isGlobal && allFrom(lowering, what, use) === undefined) return nothing;
  if (use === "groups" && pattern.regexp.groups === undefined)
    return lowering.refuse(
      what.at,
      "function/regexp",
      "a replacement that reads groups, by patterns with different groups",
      "patterns with the same groups, or a replacement without `$`",
    );
  if (all && !isGlobal)
    return lowering.refuse(
      what.at,
      "function/regexp",
      "`.replaceAll()` with a pattern without `g` throws",
      "the flag `g`",
    );
  const text = sureReceiver(call, lowering);
  const count: Readonly<Record<string, PyExpression>> = isGlobal ? {} : { count: pyInt(1) };
  return pyCallWith(pyAttribute(pattern.value, "sub"), [replacer(lowering, by, pattern), text], count);
};

/** The replacement of a match in `re.sub`. */
const replacer = (lowering: Lowering, by: Expression, pattern: Pattern): PyExpression => {
  if (by.kind === "text") {
    const made = replacementOf(by.value, pattern.regexp.groups ?? []);
    return made === undefined
      ? lowering.refuse(by.at, "function/regexp", "$` or $' in a replacement", "a function")
      : pyText(made);
  }
  const m = lowering.temporary("m", typeOfKind("match"));
  const taking = (body: PyExpression): PyExpression => pyLambda(m, body);
  if (isAlways(by.type, "string")) return taking(pyCall("expand", lowering.expression(by), pyVariable(m)));
  if (by.kind === "lambda") return taking(replaceBy(lowering, by, m, pattern));
  if (kindOf(by.type) === "function" && lowering.takes(by) > 1)
    return lowering.refuse(
      by.at,
      "function/regexp",
      "a replacer function that may take more than the match",
      "`(match) => f(match)`",
    );
  if (kindOf(by.type) === "function")
    return taking(pyCall(lowering.expression(by), pySubscript(pyVariable(m), pyInt(0))));
  return lowering.refuseKind(by, "a replacement of type {type}", "a string, or a function");
};

const replaceBy = (lowering: Lowering, by: Lambda, m: Variable, pattern: Pattern): PyExpression => {
  const groups = pattern.regexp.groups?.length ?? 0;
  if (
    by.parameters.length > groups + 1 ||
    by.parameters.some(
      ({ pattern: name, fallback, rest }) => name.kind !== "bind" || fallback !== undefined || rest,
    )
  )
    return lowering.refuse(
      by.at,
      "function/regexp",
      "a replacer function that takes more than the match and its groups",
      "`matchAll`",
    );
  const type = typeOfKind("match");
  const given = by.parameters.map(
    (_, group): Expression => ({
      kind: "element",
      object: { kind: "variable", variable: m, type, at: by.at },
      index: { kind: "number", value: group, type: typeOfKind("number"), at: by.at },
      type: typeOfKind("string"),
      at: by.at,
    }),
  );
  if (by.value === undefined || hasEffect(by.value))
    return pyCall(lowering.callable({ ...by, arity: 0 }), ...given.map((part) => lowering.expression(part)));
  let body = by.value;
  for (const [at, { pattern: name }] of by.parameters.entries()) {
    const part = given[at];
    if (name.kind === "bind" && part !== undefined) body = substitute(body, name.variable, part);
  }
  return lowering.text(body);
};

/** String methods that take a string or a regular expression, and methods of regular expressions. */
export const stringPatterns: Rows = {
  "string.split": split,
  "string.replace": replace(false),
  "string.replaceAll": replace(true),
  "string.match": match,
  "string.matchAll": matchAll,
  "string.search": searchRow,
  "regexp.test": test,
  "regexp.exec": exec,
  "match.list": matchList,
};
