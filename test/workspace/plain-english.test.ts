import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Phrases that a native speaker would rewrite, each with a plain alternative. */
const phrases = {
  "is no X: write is not an X":
    /(?<!\bthere )\b(?:is|are|was|were|be) no (?!longer|more|less|fewer|matter)[a-z`]/gi,
  "stands: write is": /\bstand(?:s|ing)?\b(?!-| for\b)/g,
  "anew: write again": /\banew\b/g,
  "held against: write checked against, compared with": /\b(?:held|holds|hold) (?:it |them )?against\b/g,
  "is told: write is reported, gets": /\b(?:is|are|be|was|been) told\b/g,
  "mend: write fix": /\bmend(?:s|ed|ing)?\b(?!:)/g,
  "nobody: write not, no client": /\b(?:no|any|every)body\b/gi,
  "beside it: write next to it, in addition to it": /\bbeside (?:it|them|its|the|what|each|that|those)\b/g,
  "he: write you, the user": /(?<![\w'`.])(?:he|his|him)(?![\w'`])/gi,
  "a clause as the subject: name the thing":
    /(?:^|[.!?:] |\/\*\* |\/\/ |\| )(?:What (?!to\b|is\b|are\b|it\b|does\b)|Whose |Whatever |Whoever |Of (?:a|an|the|one|each|such|those) )[a-z`]/gm,
} as const;
type Phrase = keyof typeof phrases;

/** How often each phrase may occur. In the order of `phrases`. Lower a number when you fix one; never raise it. */
const allowed: Readonly<Record<string, readonly number[]>> = {
  guides: [0, 0, 0, 0, 0, 0, 4, 2, 0, 5],
  diagnostics: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  strings: [12, 2, 0, 0, 0, 0, 2, 0, 0, 0],
  comments: [1, 0, 0, 0, 0, 0, 0, 1, 0, 19],
  "test names": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
};

test.each(Object.keys(allowed))("%s have no more phrases to rewrite than before", (area) => {
  const texts = areas[area as keyof typeof areas]();
  const names = Object.keys(phrases) as Phrase[];
  const found = names.map((name) => texts.flatMap(([file, text]) => hits(file, text, phrases[name])));
  const rising = names.flatMap((name, at) =>
    (found[at]?.length ?? 0) > (allowed[area]?.[at] ?? 0)
      ? [`${name}: ${found[at]?.length} instead of ${allowed[area]?.[at]}`, ...(found[at] ?? []).slice(-20)]
      : [],
  );
  expect(rising, `now: [${found.map(({ length }) => length).join(", ")}]`).toEqual([]);
});

type Text = readonly [file: string, text: string];

const areas = {
  guides: () =>
    read(
      /^(?:README|CONTRIBUTING)\.md$|^docs\/(?:decisions\/)?[^/]+\.md$|^(?:packages|examples)\/(?:[^/]+\/)?README\.md$/,
    ).map(prose),
  diagnostics: () => read(/^docs\/diagnostics\/.*\.md$/).map(prose),
  strings: () => sources().map(([file, text]) => [file, strings(withoutComments(text))] as const),
  comments: () => sources().map(([file, text]) => [file, comments(text)] as const),
  "test names": () => read(/\.test\.ts$/).map(([file, text]) => [file, testNames(text)] as const),
};

const filesIn = (folder: string): readonly string[] =>
  readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory())
      return /^(?:\.|node_modules$|dist$|build$|generated$)/.test(entry.name) ? [] : filesIn(`${path}/`);
    return /\.(?:md|ts)$/.test(path) ? [path] : [];
  });

const files = ["docs/", "examples/", "packages/", "test/"]
  .flatMap(filesIn)
  .concat("README.md", "CONTRIBUTING.md");

const read = (path: RegExp): readonly Text[] =>
  files.filter((file) => path.test(file)).map((file) => [file, readFileSync(`${root}${file}`, "utf8")]);

const sources = (): readonly Text[] =>
  read(/^packages\/[^/]+\/src\/.*\.ts$/).filter(([file]) => !/\.(?:test|fixture|cases)\.ts$/.test(file));

const prose = ([file, text]: Text): Text => [
  file,
  text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").replaceAll(/`[^`\n]*`/g, "`"),
];

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

/** Sentences only: no identifiers, and no messages of Triton, which `says` and `words` quote. */
const strings = (text: string): string =>
  [...text.matchAll(/(\b(?:says|words|triton): *)?("(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)/g)]
    .filter(([, quoted, string = ""]) => quoted === undefined && / [a-z]/.test(string))
    .map(([, , string]) => string)
    .join("\n");

const comments = (text: string): string =>
  [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].map(([comment]) => comment).join("\n");

const testNames = (text: string): string =>
  [...text.matchAll(/\b(?:test|it|describe)(?:\.\w+)*(?:\([^"'`]*?\))?\(\s*(["'`])((?:\\.|(?!\1)[^\n])*)\1/g)]
    .map(([, , name]) => name)
    .join("\n");

const hits = (file: string, text: string, phrase: RegExp): readonly string[] =>
  [...text.matchAll(phrase)].map(({ index }) => `  ${file}: ${text.slice(index, index + 70).split("\n")[0]}`);
