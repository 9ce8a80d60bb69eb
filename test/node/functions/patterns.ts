import type { Case } from "./case.ts";
import { strings } from "./rows.ts";

interface Rule {
  readonly kind: string;
  readonly pattern: RegExp;
}

const TOKENS: readonly Rule[] = [
  { kind: "space", pattern: /\s+/y },
  { kind: "number", pattern: /[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy },
  { kind: "word", pattern: /[\p{L}\p{M}_][\p{L}\p{M}\p{N}_]*/uy },
  { kind: "string", pattern: /"(?:\\.|[^"\\])*"/y },
  { kind: "punctuation", pattern: /[^\s\p{L}\p{N}]/uy },
];

/** A tokenizer from a table of sticky patterns. */
const lex = (text: string): unknown => {
  const tokens: [string, string][] = [];
  let at = 0;
  while (at < text.length) {
    const rule = TOKENS.find(({ pattern }) => {
      pattern.lastIndex = at;
      return pattern.test(text);
    });
    if (rule === undefined)
      throw new SyntaxError(`no token at ${at}: ${JSON.stringify(text.slice(at, at + 5))}`);
    const end = rule.pattern.lastIndex;
    if (rule.kind !== "space") tokens.push([rule.kind, text.slice(at, end)]);
    at = end;
  }
  return tokens;
};

const REDACTIONS: ReadonlyArray<readonly [RegExp, string | ((...found: string[]) => string)]> = [
  [/\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g, "[email]"],
  [/(?<!\d)\d{2,4}(?!\d)/g, (digits = "") => "#".repeat(digits.length)],
  [/(?<=\$)[&$\d]/g, "·"],
  [/\b(?<first>\p{Lu})\p{Ll}+/gu, (_, first = "") => `${first}.`],
];

const redact = (text: string): string =>
  REDACTIONS.reduce((kept, [pattern, by]) => kept.replace(pattern, by as string), text);

const DATE = /(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})/dg;

const datesIn = (text: string): unknown =>
  [...text.matchAll(DATE)].map(({ groups, index, indices }) => ({
    ...groups,
    index,
    at: indices?.groups?.["day"],
  }));

const slug = (text: string): string => {
  const made = text
    .normalize("NFKD")
    .replaceAll(/\p{Diacritic}/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  if (made === "") throw new RangeError(`nothing is left of ${JSON.stringify(text)}`);
  return made.slice(0, 60);
};

const camel = (text: string): string =>
  text.trim().replace(/[-_\s]+(.)?/g, (_, letter?: string) => letter?.toUpperCase() ?? "");

const snake = (text: string): string =>
  text
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|\s+/g, "_")
    .toLowerCase()
    .split("_", 20)
    .join("_");

const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

const unescapeHtml = (text: string): string =>
  text.replace(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      return ENTITIES[name ?? ""] ?? whole;
    },
  );

const stripTags = (html: string): string =>
  html
    .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/gi, " ")
    .replace(/<\/?[a-z][^>]*>/gi, "")
    .replace(/\s{2,}/g, " ");

/** Counts of the letters of each script. */
const scripts = (text: string): unknown => {
  const tests = {
    latin: /\p{Script=Latin}/u,
    greek: /\p{sc=Greek}/u,
    han: /\p{sc=Han}/u,
    hangul: /\p{sc=Hangul}/u,
    arabic: /\p{scx=Arab}/u,
    emoji: /\p{Extended_Pictographic}/u,
  };
  const counts: Record<string, number> = {};
  for (const char of text)
    for (const [name, test] of Object.entries(tests))
      if (test.test(char)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

/** A search from user input, either unchanged or escaped. */
const search = ({ text, pattern, flags }: { text: string; pattern: string; flags?: string }): unknown => {
  const expression = new RegExp(pattern, flags ?? "gu");
  return { source: expression.source, flags: expression.flags, found: text.match(expression) };
};

const highlight = ({ text, words }: { text: string; words: readonly string[] }): string => {
  const escaped = words
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .toSorted((a, b) => b.length - a.length);
  return text.replace(new RegExp(`(${escaped.join("|")})`, "giu"), "<mark>$1</mark>");
};

const template = ({ text, values }: { text: string; values: Readonly<Record<string, unknown>> }): string =>
  text.replace(/\{\{\s*([\w.]+)\s*(?:\|\s*(\w+)\s*)?\}\}/g, (_, path: string, filter?: string) => {
    const value = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], values);
    if (value === undefined) throw new ReferenceError(`${path} is not defined`);
    const printed = String(value);
    return filter === undefined ? printed : (printed as unknown as Record<string, () => string>)[filter]!();
  });

const semver = (text: string): unknown => {
  const match =
    /^v?(?<major>0|[1-9]\d*)\.(?<minor>0|[1-9]\d*)\.(?<patch>0|[1-9]\d*)(?:-(?<pre>[\w.-]+))?(?:\+(?<build>[\w.-]+))?$/.exec(
      text,
    );
  if (!match?.groups) throw new SyntaxError(`Invalid version: ${text}`);
  const { pre, ...rest } = match.groups;
  return { ...rest, pre: pre?.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part)) ?? null };
};

const measure = (text: string): unknown => ({
  units: text.length,
  points: [...text].length,
  wellFormed: !/\p{Surrogate}/u.test(text),
  lines: text.split(/\r\n|[\n\r\u2028\u2029]/).length,
  words: text.match(/\p{L}+/gu)?.length ?? 0,
  upper: text.toUpperCase().length,
  lower: text.toLowerCase(),
  bytes: new TextEncoder().encode(text).length,
});

const cut = ({ text, from, to }: { text: string; from: number; to?: number }): unknown => [
  text.slice(from, to),
  text.substring(from, to),
  text.at(from) ?? null,
  text.padStart(from, "·").slice(0, 12),
  text.codePointAt(from) ?? null,
  text.lastIndexOf("a", to),
];

const wrapLines = ({ text, width }: { text: string; width: number }): string[] => {
  const pattern = new RegExp(String.raw`(?![^\n]{1,${width}}$)([^\n]{1,${width}})\s`, "g");
  return text.replace(pattern, "$1\n").split("\n");
};

/** A run-length encoding and its inverse. */
const runLengths = (text: string): unknown => {
  const packed = text.replace(/(.)\1+/gsu, (run, char: string) => `${[...run].length}×${char}`);
  return {
    packed,
    same:
      packed.replace(/(\d+)×(.)/gsu, (_, count: string, char: string) => char.repeat(Number(count))) === text,
  };
};

const repeatBack = ({ text, times }: { text: string; times: number }): number => text.repeat(times).length;

export const cases: readonly Case[] = [
  { name: "lex", run: lex, rows: strings },
  { name: "redact", run: redact, rows: strings },
  { name: "datesIn", run: datesIn, rows: [...strings, "from 2024-01-31 to 2024-02-29, not 20240-01-01"] },
  { name: "slug", run: slug, rows: strings },
  { name: "camel", run: camel, rows: strings },
  { name: "snake", run: snake, rows: [...strings, "parseHTTPResponse2JSON", "ABC"] },
  {
    name: "unescapeHtml",
    run: unescapeHtml,
    rows: [...strings, "&#128512;&#x1F600;&constructor;&#99999999;", "&#xD800;"],
  },
  {
    name: "stripTags",
    run: stripTags,
    rows: [...strings, "<script>if (a < b) x()</script> <p class='>'>hi</p><STYLE>a{}</style>"],
  },
  { name: "scripts", run: scripts, rows: strings },
  {
    name: "search",
    run: search,
    rows: [
      { text: "a1b22", pattern: String.raw`\d+` },
      { text: "ab", pattern: "(" },
      { text: "ab", pattern: "a", flags: "gg" },
      { text: "x".repeat(2000), pattern: "(x)\\1*$" },
      { text: "a-b", pattern: String.raw`\-`, flags: "u" },
      { text: "😀", pattern: ".", flags: "g" },
      { text: "😀é", pattern: String.raw`[\p{Emoji}--\p{ASCII}]`, flags: "gv" },
      { text: "b".repeat(10), pattern: "(?<=b)b(?!bb)", flags: "g" },
      { text: null, pattern: "a" },
      { pattern: "[z-a]" },
    ],
  },
  {
    name: "highlight",
    run: highlight,
    rows: [
      { text: "C++ and c#, not C", words: ["c", "c++", "(", "C#"] },
      { text: "abc", words: [] },
      { text: "Straße STRASSE ſ", words: ["s", "ß"] },
      { text: "x", words: [null] },
      { words: ["a"] },
    ],
  },
  {
    name: "template",
    run: template,
    rows: [
      {
        text: "Dear {{ user.name | trim }}, {{user.age}} {{ list }}",
        values: { user: { name: " Ada ", age: 36 }, list: [1, [2]] },
      },
      { text: "{{a.b.c}}", values: { a: {} } },
      { text: "{{missing}}", values: {} },
      { text: "{{a|nothing}}", values: { a: 1 } },
      { text: "{{constructor.name}} {{__proto__.x}}", values: {} },
      { text: "{{ open", values: null },
      {},
    ],
  },
  {
    name: "semver",
    run: semver,
    rows: [
      "1.2.3",
      "v10.0.0-rc.1+build.5",
      "01.2.3",
      "1.2",
      "",
      "1.2.3-",
      "999999999999999999999.0.0",
      null,
      1.2,
    ],
  },
  { name: "measure", run: measure, rows: strings },
  {
    name: "cut",
    run: cut,
    rows: [
      ...strings.slice(0, 14).map((text) => ({ text, from: 1, to: -1 })),
      { text: "abc", from: -2 },
      { text: "abc", from: 1e9 },
      { text: "abc", from: null, to: "2" },
      { from: 1 },
    ],
  },
  {
    name: "wrapLines",
    run: wrapLines,
    rows: [
      ...strings.slice(0, 20).map((text) => ({ text, width: 12 })),
      { text: "a b", width: 0 },
      { text: "a b", width: -1 },
      { text: "a b", width: 1e12 },
    ],
  },
  { name: "runLengths", run: runLengths, rows: [...strings, "aaabbb", "😀😀😀", "11112"] },
  {
    name: "repeatBack",
    run: repeatBack,
    rows: [
      { text: "ab", times: 3 },
      { text: "ab", times: -1 },
      { text: "abcd", times: 2 ** 30 },
      { text: "", times: 2 ** 31 },
      { text: "a", times: "Infinity" },
      { times: 1 },
    ],
  },
];
