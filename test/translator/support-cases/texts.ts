import { hostileText, listOf, pick, upTo, type Random } from "../hostile.ts";
import { text, number, small, optional, part, textAnd, one, finite } from "./arguments.ts";
import type { SupportCase } from "./support-case.ts";

const textAndPart = (random: Random): readonly unknown[] => {
  const whole = text(random);
  return [whole, part(random, whole)];
};
const textPartAndPlace = (random: Random): readonly unknown[] => [...textAndPart(random), small(random)];
const hostilePattern = (): RegExp => /([ab])|(?<n>[A-Z])/g;

/** Number of texts that together contain each character of planes 0 and 1, which include all cased letters. */
const walked = Math.ceil(0x20000 / 2400);

export const textsSupportCases: readonly SupportCase[] = [
  {
    piece: "units",
    with: ["chars"],
    python: "lambda s: [len(units(chars(s))), units(chars(s)), len(chars(s))]",
    javascript: (s: string) => [s.length, s, [...s].length],
    arguments: one(text),
  },
  {
    piece: "chars",
    with: ["units"],
    python: "lambda s: units(chars(s)[::-1])",
    javascript: (s: string) => [...s].reverse().join(""),
    // Reversed lone surrogates can form a pair, which Node joins, too.
    arguments: one(text),
  },
  {
    piece: "utf8",
    python: "lambda s: list(utf8(s))",
    javascript: (s: string) => [...new TextEncoder().encode(s)],
    arguments: one(text),
  },
  {
    piece: "SURROGATE",
    python: "lambda s: bool(SURROGATE.search(s))",
    javascript: (s: string) => /[\ud800-\udfff]/.test(s),
    arguments: one(text),
  },
  {
    piece: "LONE_SURROGATE",
    python: "lambda s: LONE_SURROGATE.sub('?', s)",
    javascript: (s: string) => s.replaceAll(/\p{Surrogate}/gu, "?"),
    arguments: one(text),
  },
  { piece: "POINT", python: "POINT.findall", javascript: (s: string) => [...s], arguments: one(text) },
  { piece: "points", javascript: (s: string) => [...s], arguments: one(text) },
  {
    piece: "whole",
    python: "lambda i: whole(i, -5, 9)",
    javascript: (i: number) => Math.max(-5, Math.min(9, Math.trunc(i))) || 0,
    arguments: one(number),
  },
  {
    piece: "index",
    python: "lambda s, i: s[index(i, len(s)):]",
    javascript: (s: string, i: number) => s.slice(i),
    arguments: textAnd(small),
  },
  {
    piece: "cut",
    javascript: (s: string, a: number, b: number | undefined) => s.slice(a, b),
    arguments: textAnd(optional(small), optional(small)),
  },
  {
    piece: "cut",
    javascript: (s: readonly number[], a: number, b: number | undefined) => s.slice(a, b),
    arguments: (random) => [listOf(random, number), small(random), optional(small)(random)],
  },
  {
    piece: "substring",
    javascript: (s: string, a: number, b: number | undefined) => s.substring(a, b),
    arguments: textAnd(small, optional(small)),
  },
  { piece: "at", javascript: (s: string, i: number) => s[i], arguments: textAnd(small) },
  {
    piece: "at",
    javascript: (s: readonly number[], i: number) => s[i],
    arguments: (random) => [listOf(random, number), small(random)],
  },
  { piece: "from_end", javascript: (s: string, i: number) => s.at(i), arguments: textAnd(small) },
  { piece: "char_at", javascript: (s: string, i: number) => s.charAt(i), arguments: textAnd(small) },
  { piece: "char_code_at", javascript: (s: string, i: number) => s.charCodeAt(i), arguments: textAnd(small) },
  {
    piece: "code_point_at",
    javascript: (s: string, i: number) => s.codePointAt(i),
    arguments: textAnd(small),
  },
  {
    piece: "from_code_point",
    javascript: (...codes: readonly number[]) => String.fromCodePoint(...codes),
    arguments: (random) =>
      listOf(random, () =>
        random() < 0.1
          ? number(random)
          : pick(random, [0, 65, 233, 0xd800, 0xdc00, 0xffff, 0x1f600, 0x10ffff]),
      ),
  },
  {
    piece: "from_char_code",
    javascript: (...codes: readonly number[]) => String.fromCharCode(...codes),
    arguments: (random) => listOf(random, () => (random() < 0.5 ? number(random) : upTo(random, 70000))),
  },
  {
    piece: "index_of",
    javascript: (s: string, what: string, start: number) => s.indexOf(what, start),
    arguments: textPartAndPlace,
  },
  {
    piece: "last_index_of",
    javascript: (s: string, what: string, start: number | undefined) => s.lastIndexOf(what, start),
    arguments: (random) => [...textAndPart(random), optional(small)(random)],
  },
  {
    piece: "pad",
    python: "lambda s, n, fill: pad(s, n, fill) + s",
    javascript: (s: string, n: number, fill: string) => s.padStart(n, fill),
    arguments: (random) => [
      text(random),
      random() < 0.2
        ? pick(random, [2 ** 30, 1e300, Number.POSITIVE_INFINITY, Number.NaN])
        : upTo(random, 30) - 5.5,
      text(random),
    ],
  },
  {
    piece: "repeat",
    javascript: (s: string, n: number) => s.repeat(n),
    arguments: (random) => [
      text(random),
      random() < 0.2
        ? pick(random, [2 ** 30, 1e300, Number.POSITIVE_INFINITY, Number.NaN, -1.5])
        : small(random) % 100,
    ],
  },
  {
    piece: "split",
    javascript: (s: string, separator: string, limit: number | undefined) => s.split(separator, limit),
    arguments: (random) => [...textAndPart(random), random() < 0.5 ? undefined : upTo(random, 4)],
  },
  {
    piece: "WHITESPACE",
    python: "lambda s: [s.strip(WHITESPACE), s.lstrip(WHITESPACE), s.rstrip(WHITESPACE)]",
    javascript: (s: string) => [s.trim(), s.trimStart(), s.trimEnd()],
    arguments: one(
      (random) => String.fromCharCode(...listOf(random, () => upTo(random, 65535))) + text(random),
    ),
  },
  {
    piece: "WHITESPACE",
    python: "lambda: [i for i in range(0x10000) if not chr(i).strip(WHITESPACE)]",
    javascript: () =>
      Array.from({ length: 0x10000 }, (_, i) => i).filter((i) => String.fromCharCode(i).trim() === ""),
    arguments: () => [],
  },
  {
    piece: "REPLACEMENT",
    python: "lambda s: [m[0] for m in REPLACEMENT.finditer(s)]",
    javascript: (s: string) => s.match(/\$([$&`']|\d\d?)/g) ?? [],
    arguments: one(template),
  },
  {
    piece: "NAMED_REPLACEMENT",
    python: "lambda s: [m[0] for m in NAMED_REPLACEMENT.finditer(s)]",
    javascript: (s: string) => s.match(/\$([$&`']|\d\d?|<[^>]*>)/g) ?? [],
    arguments: one(template),
  },
  {
    piece: "expand",
    python:
      "lambda template, s: __import__('re').sub('([ab])|(?P<n>[A-Z])', lambda m: expand(template, m), s)",
    javascript: (by: string, s: string) => s.replaceAll(hostilePattern(), by),
    arguments: (random) => [template(random), text(random)],
  },
  {
    piece: "expand",
    python: "lambda template, s: __import__('re').sub('([ab])(Z)?', lambda m: expand(template, m), s)",
    javascript: (by: string, s: string) => s.replaceAll(/([ab])(Z)?/g, by),
    arguments: (random) => [template(random), text(random)],
  },
  {
    piece: "search",
    python: "lambda s: search(__import__('re').compile('[ab]'), s)",
    javascript: (s: string) => s.search(/[ab]/),
    arguments: one(text),
  },
  {
    piece: "replace",
    python: "lambda s, a, b: [replace(s, a, b), replace(s, a, b, 1)]",
    javascript: (s: string, a: string, b: string) => [s.replaceAll(a, b), s.replace(a, b)],
    arguments: (random) => [
      hostileText(random),
      pick(random, ["", "a", " ", "$", "b", "\u{1f600}"]),
      pick(random, ["", "x", "$", "$$", "$&$&", "<$`|$'>", "$1", "$<a>", "\\1", "$$$&"]),
    ],
  },
  { piece: "lower", javascript: (s: string) => s.toLowerCase(), arguments: one(text) },
  { piece: "upper", javascript: (s: string) => s.toUpperCase(), arguments: one(text) },
  {
    piece: "lower",
    javascript: (s: string) => s.toLowerCase(),
    arguments: (random, at) => [allCharacters(random, at)],
    calls: walked + 100,
  },
  {
    piece: "upper",
    javascript: (s: string) => s.toUpperCase(),
    arguments: (random, at) => [allCharacters(random, at)],
    calls: walked + 100,
  },
  {
    piece: "normalize",
    javascript: (s: string, form: string) => s.normalize(form),
    // Python throws for characters that its Unicode does not know.
    arguments: (random) => [
      text(random).replaceAll(/\p{Cn}/gu, ""),
      pick(random, ["NFC", "NFD", "NFKC", "NFKD"]),
    ],
  },
  {
    piece: "replace_by",
    with: ["number"],
    python: 'lambda s, part: replace_by(s, part, lambda it, at, whole: f"<{it}{at}{len(whole)}>", 3)',
    javascript: (whole: string, part: string) =>
      whole.replaceAll(part, (it, at: number, all: string) => `<${it}${at}${all.length}>`),
    arguments: textAndPart,
  },
  {
    piece: "replace_by",
    python: "lambda s, part: replace_by(s, part, lambda it: it + it, 1, 1)",
    javascript: (whole: string, part: string) => whole.replace(part, (it) => it + it),
    arguments: textAndPart,
  },
  {
    piece: "split_between",
    python: 'lambda s: split_between(__import__("re").compile("(?=[a-mA-M])"), s)',
    javascript: (whole: string) => whole.split(/(?=[a-mA-M])/),
    arguments: (random) => [hostileText(random)],
  },
  {
    piece: "from_utf8",
    javascript: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
    arguments: (random) => [
      Uint8Array.from(
        random() < 0.4
          ? [...Buffer.from(hostileText(random))].filter(() => random() < 0.9)
          : listOf(
              random,
              () => pick(random, [0x61, 0xef, 0xbb, 0xbf, 0xed, 0xa0, 0xf0, 0x9f, 0xc0, 0x80, 0xff]),
              12,
            ),
      ),
    ],
  },
  {
    piece: "to_base64",
    javascript: (whole: string) => btoa(whole),
    arguments: (random) => [random() < 0.8 ? latin(random) : hostileText(random)],
  },
  {
    piece: "from_base64",
    javascript: (whole: string) => atob(whole),
    arguments: (random) => {
      const coded = btoa(latin(random));
      const cut =
        random() < 0.3 ? coded.slice(upTo(random, 3)) : coded.replace(/=+$/, (it) => pick(random, [it, ""]));
      return [random() < 0.3 ? cut + pick(random, [" ", "\n", "=", "==", "===", "-", "é", "A", "A="]) : cut];
    },
  },
  {
    piece: "encode_component",
    javascript: (whole: string) => encodeURIComponent(whole),
    arguments: (random) => [hostileText(random)],
  },
  {
    piece: "decode_component",
    javascript: (whole: string) => decodeURIComponent(whole),
    arguments: (random) => {
      const coded = encodeURIComponent(hostileText(random).replaceAll(/\p{Surrogate}/gu, ""));
      return [
        random() < 0.5
          ? coded
          : coded + pick(random, ["%", "%4", "%C3", "%ed%a0%80", "%C0%80", "é%41", "%e4%"]),
      ];
    },
  },
  {
    piece: "clone",
    python: "lambda v: [clone(v), clone(v) == v]",
    javascript: (value: unknown) => [structuredClone(value), true],
    arguments: (random) => [
      { list: listOf(random, hostileText), record: { n: finite(random), none: null }, flag: true },
    ],
  },
  {
    piece: "clone",
    python: "lambda v: (lambda c: [c[0] is c[1], c[0] is v, c])(clone([v, v]))",
    javascript: (value: unknown) => [true, false, structuredClone([value, value])],
    arguments: (random) => [listOf(random, hostileText)],
  },
];

/**
 * 2,400 characters, consecutive in the first calls and random in the others. The sigma is excluded, because its lower case
 * depends on its neighbours.
 */
function allCharacters(random: Random, at: number): string {
  const start = at < walked ? at * 2400 : upTo(random, 0x10ffff - 2400);
  return Array.from({ length: 2400 }, (_, at) => String.fromCodePoint(start + at))
    .join("")
    .replaceAll("\u03a3", "");
}

function template(random: Random): string {
  return listOf(random, () =>
    pick(random, [
      "$",
      "$$",
      "$&",
      "$`",
      "$'",
      "$1",
      "$2",
      "$12",
      "$01",
      "$00",
      "$3",
      "$<n>",
      "$<x>",
      "$<n",
      "a",
      "\\",
      "\\1",
      "\u{1f600}",
      "$٣",
    ]),
  ).join("");
}

function latin(random: Random): string {
  return String.fromCharCode(...listOf(random, () => upTo(random, 255), 9));
}
