import type { Kind, Production } from "./productions.ts";

/** Declarations that the productions below use. */
export const everydayPreamble = `
const uniqueOf = (xs: readonly number[]): Set<number> => new Set(xs);
const tallyOf = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};
const countUp = (by: number): number => {
  let total = Number.MAX_SAFE_INTEGER - 3;
  for (let i = 0; i < 9; i++) total++;
  return total + by;
};
const gaps = (salt: number): { readonly at: number; readonly n: number }[] => {
  let state = Math.imul(salt, 2654435769) >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  };
  const [length, share] = [128 + (next() % 64), 2 + (next() % 7)];
  return Array.from({ length }, (_, at) => ({ at, n: next() % 10 < share ? NaN : next() % 13 }));
};
const RULES: readonly (readonly [RegExp, string])[] = [[/^\\d+$/, "number"], [/^[a-z]+$/i, "word"]];
const ruleOf = (text: string): string => RULES.find(([pattern]) => pattern.test(text))?.[1] ?? "other";
const hits = (pattern: RegExp, text: string): boolean => pattern.test(text);
`;

/** Common parts of functions, as seen in real ones. */
export const everydayProductions: Partial<Readonly<Record<Kind, readonly Production[]>>> = {
  N: [
    ["counting past 2 ** 53", "countUp({I})"],
    ["** 2", "(({N}) ** 2)"],
    ["10 ** an integer", "(10 ** {I})"],
    ["Number of what may be missing", "Number({NU})"],
    ["unary + of a truth", "(+({B}))"],
    ["bytes of a text", "new TextEncoder().encode({S}).length"],
    ["number of matches", "(({S}).match(/[ab]/g)?.length ?? 0)"],
    ["comma", "({N}, {N})"],
  ],
  S: [
    ["number.toString of a fraction", "({N}).toString(16)"],
    ["number.toPrecision", "({N}).toPrecision(4)"],
    ["number.toExponential", "({N}).toExponential(3)"],
    ["string.replace of a text by a function", '({S}).replaceAll("a", (c) => c.toUpperCase())'],
    ["a table of patterns", "ruleOf({S})"],
    ["groups of three digits", "String({N}).replace(/\\B(?=(\\d{3})+(?!\\d))/g, ',')"],
  ],
  B: [
    ["bigint < number", "(({G}) < ({N}))"],
    ["Object.is", "Object.is({N}, {N})"],
    ["a pattern as an argument", "hits(/a/, {S})"],
  ],
  G: [["bigint **", "(BigInt.asIntN(64, {G}) ** 3n)"]],
  NS: [
    ["sort with NaN", "gaps({I}).sort((a, b) => b.n - a.n).map((p) => p.at)"],
    ["toSorted with NaN", "gaps({I}).toSorted((a, b) => b.n - a.n).map((p) => p.at)"],
    ["sort with NaN by two", "gaps({I}).toSorted((a, b) => a.n - b.n || b.at - a.at).map((p) => p.at)"],
    [
      "sort by a comparator of two answers",
      "gaps({I}).toSorted((a, b) => (a.n > b.n ? 1 : -1)).map((p) => p.at)",
    ],
    ["typed sort", "[...Float64Array.from({NS}).sort()]"],
    ["array.fill with bounds", "[...{NS}].fill({N}, 1, {I})"],
    ["array.reverse as a value", "[...{NS}].reverse()"],
    ["typed of", "[...Float64Array.of({N}, {I})]"],
  ],
  SS: [["string.split with a limit", "({S}).split(/,/, {I})"]],
  M: [["a map that a call returns", "tallyOf({SS})"]],
  E: [["a set that a call returns", "uniqueOf({NS})"]],
  R: [["spread of && in a record", "{ ...{R}, ...({B} && { n: {N} }) }"]],
};

/** A loop over the result of a call. `body`: lines that may use the variable. */
export const everydayLoop = (call: string, variable: string, body: readonly string[]): readonly string[] => [
  `for (const ${variable} of ${call}) {`,
  ...body,
  "}",
];
