import { braceFormat } from "./format-text.ts";
import { elementsOf, isList, isText, isTrue, type Make, numberOf, pythonText } from "./values.ts";
import type { Value } from "./library.ts";
import { type Arguments, stripped } from "./value-filters.ts";

type Method = (text: string, given: Arguments, make: Make) => Value;

const strip =
  (side: "both" | "left" | "right"): Method =>
  (text, { values: [chars] }, make) =>
    make.text(stripped(text, chars, side));
const test =
  (pattern: RegExp): Method =>
  (text, _, make) =>
    make.truth(pattern.test(text));
const find =
  (last: boolean): Method =>
  (text, { values: [part, from] }, make) => {
    const wanted = pythonText(part);
    return make.integer(
      last ? text.lastIndexOf(wanted) : text.indexOf(wanted, from === undefined ? 0 : numberOf(from)),
    );
  };
const affix =
  (atStart: boolean): Method =>
  (text, { values: [given] }, make) => {
    const options = isList(given) ? given.value : [given];
    return make.truth(
      options.some((one) => (atStart ? text.startsWith(pythonText(one)) : text.endsWith(pythonText(one)))),
    );
  };
const split: Method = (text, { values, named }, make) => {
  const [separator, most] = [named.get("sep") ?? values[0], named.get("maxsplit") ?? values[1]];
  const limit = most === undefined ? -1 : numberOf(most);
  const by = isText(separator) ? separator.value : undefined;
  const all = by === undefined ? text.trim().split(/\s+/).filter(Boolean) : text.split(by);
  if (limit < 0 || all.length <= limit + 1) return make.list(all.map(make.text));
  const head = all.slice(0, limit);
  const rest = by === undefined ? restAfter(text, limit) : all.slice(limit).join(by);
  return make.list([...head, rest].map(make.text));
};
/** The text after this many words. */
const restAfter = (text: string, words: number): string =>
  text.trimStart().replace(new RegExp(`^(?:\\S+\\s+){${words}}`), "");
const part =
  (last: boolean): Method =>
  (text, { values: [separator] }, make) => {
    const by = pythonText(separator);
    const at = last ? text.lastIndexOf(by) : text.indexOf(by);
    const parts =
      at >= 0 ? [text.slice(0, at), by, text.slice(at + by.length)] : last ? ["", "", text] : [text, "", ""];
    return make.tuple(parts.map(make.text));
  };

/** Methods of Python's `str` that the template library lacks, or runs differently. */
export const textMethods: ReadonlyMap<string, Method> = new Map<string, Method>([
  ["capitalize", (text, _, make) => make.text(text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase())],
  ["count", (text, { values: [one] }, make) => make.integer(text.split(pythonText(one)).length - 1)],
  ["endswith", affix(false)],
  ["find", find(false)],
  ["format", (text, { values, named }, make) => make.text(braceFormat(text, values, named))],
  ["isalnum", test(/^[\p{L}\p{N}]+$/u)],
  ["isalpha", test(/^\p{L}+$/u)],
  ["isdigit", test(/^\p{Nd}+$/u)],
  ["isspace", test(/^\s+$/u)],
  [
    "join",
    (text, { values: [all] }, make) =>
      make.text(
        elementsOf(all ?? make.missing, make)
          .map(pythonText)
          .join(text),
      ),
  ],
  ["lstrip", strip("left")],
  ["partition", part(false)],
  [
    "removeprefix",
    (text, { values: [one] }, make) =>
      make.text(text.startsWith(pythonText(one)) ? text.slice(pythonText(one).length) : text),
  ],
  [
    "removesuffix",
    (text, { values: [one] }, make) =>
      make.text(
        pythonText(one) !== "" && text.endsWith(pythonText(one))
          ? text.slice(0, -pythonText(one).length)
          : text,
      ),
  ],
  ["rfind", find(true)],
  ["rpartition", part(true)],
  ["rstrip", strip("right")],
  ["split", split],
  [
    "splitlines",
    (text, { values: [keeps] }, make) => {
      const lines = text.match(/[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+$/g) ?? [];
      return make.list(lines.map((line) => make.text(isTrue(keeps) ? line : line.replace(/[\r\n]+$/, ""))));
    },
  ],
  ["startswith", affix(true)],
  ["strip", strip("both")],
  [
    "zfill",
    (text, { values: [width] }, make) => {
      const [, sign = "", digits = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
      return make.text(sign + digits.padStart(numberOf(width) - sign.length, "0"));
    },
  ],
]);
