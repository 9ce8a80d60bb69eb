import { type RegExpRefusal, type TranslatedRegExp, translateRegExp } from "@tritype/translator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { agree, exact } from "./exact-values.ts";
import { hostileText, pick, type Random, randomOf, upTo } from "./hostile.ts";
import { type PythonChild, startPython } from "./python-child.ts";
import { randomRegExp, randomSubject } from "./random-regexp.ts";
import { refusedPatterns, translatedPatterns } from "./regexp.cases.ts";

const texts = 300;
let python: PythonChild;
beforeAll(() => {
  python = startPython();
});
afterAll(async () => {
  await python.close();
});

test.each(translatedPatterns.map((pattern, seed) => ({ pattern, seed })))(
  "$pattern matches the same in both languages",
  async ({ pattern, seed }) => {
    const translation = translated(translateRegExp(pattern.source, pattern.flags));
    expect(translation.nullable).toBe(
      new RegExp(`^(?:${pattern.source})$`, pattern.flags).test("") || translation.nullable,
    );
    const random = randomOf(seed);
    const subjects = Array.from({ length: texts }, () => subject(random, pattern.source));
    const found = await python.run({
      source: matcher(translation),
      function: "found",
      calls: subjects.map((text) => [exact(text)]),
    });
    const different = subjects.flatMap((text, at) => {
      const expected = exact(matchesOf(pattern, text, translation.nullable));
      return agree(expected, found[at] ?? null) ? [] : [{ text, expected, python: found[at] }];
    });
    expect(different.slice(0, 4), `${different.length} of ${texts} differ for ${translation.python}`).toEqual(
      [],
    );
  },
);

/** `TRITYPE_PROGRAMS=long` tests 800. */
const wanted = process.env["TRITYPE_PROGRAMS"] === "long" ? 800 : 250;

test(`${wanted} random regular expressions match the same in both languages, or are refused`, async () => {
  const random = randomOf(1);
  const different: unknown[] = [];
  const told: Record<string, number> = {};
  for (let made = 0; made < wanted; made++) {
    const pattern = randomRegExp(random);
    const translation = translateRegExp(pattern.source, pattern.flags);
    const outcome = translation.kind === "translated" ? "translated" : translation.what;
    told[outcome] = (told[outcome] ?? 0) + 1;
    if (translation.kind === "refused") continue;
    const subjects = Array.from({ length: 40 }, () => randomSubject(random));
    const calls = subjects.map((text) => [exact(text)]);
    const found = await python.run({ source: matcher(translation), function: "found", calls });
    subjects.forEach((text, at) => {
      const expected = exact(matchesOf(pattern, text, translation.nullable));
      if (!agree(expected, found[at] ?? null))
        different.push({
          pattern: String(pattern),
          python: translation.python,
          text,
          expected,
          found: found[at],
        });
    });
  }
  expect(different.slice(0, 5), `${different.length} differ`).toEqual([]);
  expect(told["translated"]).toBeGreaterThan(0.4 * wanted);
});

test("flags `i` and `u` together: every cased character matches the same forms", async () => {
  const cased = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter(
    (character) => /\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u.test(character),
  );
  const all = cased.join("");
  for (const pattern of [/\w/iu, /\p{Lu}/iu, /[^\p{Lu}]/iu, /[a-zß-ÿ]/iu, /[\u0370-\u1fff]/iu, /\W/iu]) {
    const { python: compiled } = translated(translateRegExp(pattern.source, pattern.flags));
    const [found] = await python.run({
      source: `import re\npattern = ${compiled}\ndef found(text): return "".join(pattern.findall(text))\n`,
      function: "found",
      calls: [[exact(all)]],
    });
    const expected = cased.filter((character) => pattern.test(character)).join("");
    expect(found, compiled).toEqual(exact(expected));
  }
  for (const character of cased.filter((_, at) => at % 40 === 0)) {
    const { python: compiled } = translated(translateRegExp(character, "iu"));
    const [found] = await python.run({
      source: `import re\npattern = ${compiled}\ndef found(text): return "".join(pattern.findall(text))\n`,
      function: "found",
      calls: [[exact(all)]],
    });
    expect(found, compiled).toEqual(exact(all.match(new RegExp(character, "giu"))?.join("")));
  }
});

test.each(refusedPatterns)("/%s/%s is refused", (source, flags, text) => {
  const refusal = translateRegExp(source, flags) as RegExpRefusal;
  expect(`${refusal.at}: ${refusal.what} → ${refusal.instead}`).toBe(text);
});

test.each<[RegExp, string]>([
  [
    /\s+/g,
    String.raw`re.compile(r"[\t-\r \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+", re.A)`,
  ],
  [/^(\w+)@(?<host>[a-z.]+)$/i, String.raw`re.compile(r"^(\w+)@(?P<host>[.a-z]+)\Z", re.A | re.I)`],
  [/"[^"]*"/, `re.compile(r'"[^"]*"', re.A)`],
  [/["']/, String.raw`re.compile(r"[\x22']", re.A)`],
  [/é/i, `re.compile(r"[Éé]", re.A | re.I)`],
  [/[A-Z]{2,}/, `re.compile(r"[A-Z]{2,}", re.A)`],
])("the translation of %s is readable", (pattern, text) => {
  expect(translated(translateRegExp(pattern.source, pattern.flags)).python).toBe(text);
});

test("groups have names, and are optional if they may not match", () => {
  expect(translated(translateRegExp("(a)(?:(?<n>b)|c)(d)?", "")).groups).toEqual([
    { name: undefined, optional: false },
    { name: "n", optional: true },
    { name: undefined, optional: true },
  ]);
});

const translated = (translation: TranslatedRegExp | RegExpRefusal): TranslatedRegExp => {
  expect(translation).toMatchObject({ kind: "translated" });
  return translation as TranslatedRegExp;
};

/** Python that finds every match with its groups, or only the first match if the pattern can match the empty string. */
const matcher = ({ python, nullable }: TranslatedRegExp): string => `
import re
class Undefined: pass
undefined = Undefined()
pattern = ${python}
def found(text):
    matches = ${nullable ? "[m for m in [pattern.search(text)] if m]" : "pattern.finditer(text)"}
    return [[m.start(), m.group(), *(undefined if g is None else g for g in m.groups())] for m in matches]
`;

const matchesOf = (pattern: RegExp, text: string, nullable: boolean): unknown => {
  const all = nullable ? [text.match(pattern)] : text.matchAll(new RegExp(pattern, `${pattern.flags}g`));
  return Array.from(all).flatMap((match) => (match === null ? [] : [[match.index, ...match]]));
};

/** Hostile text with pieces of the pattern, so that the pattern often matches. */
const subject = (random: Random, source: string): string => {
  const characters = Array.from(source.replaceAll(/\\[a-z]/g, ""));
  return Array.from({ length: upTo(random, 5) }, () =>
    pick(random, [hostileText, () => pick(random, characters), () => pick(random, common)])(random),
  ).join("");
};

const common = [
  "a",
  "b",
  "ab",
  "aab",
  "A",
  "x",
  " ",
  "  ",
  "\n",
  "1",
  "23",
  "_",
  "-",
  "2024-01-31",
  "http://a.b/c",
  "'",
  '"',
  "😀",
  "\ud83d",
  "\ude00",
  "é",
  "É",
  "σ",
  "ς",
  "Σ",
  "µ",
  "μ",
  "Μ",
  "ſ",
  "\u212a",
  "ẞ",
  "ß",
  "ss",
  "ﬅ",
  "ﬆ",
  "ΐ",
  "\u1fd3",
  "\u{10400}",
  "\u{10428}",
  "ÿ",
  "Ÿ",
  "ǅ",
  "Ǆ",
  "α",
  "Ω",
  "ab c",
  "aB",
  "#x\r\ny",
  "",
]; // prettier-ignore
