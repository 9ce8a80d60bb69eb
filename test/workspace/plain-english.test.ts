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
  "mend: write fix": /\bmend(?:s|ed|ing)?\b/g,
  "nobody: write not, no client": /\b(?:no|any|every)body\b/gi,
  "beside it: write next to it, in addition to it": /\bbeside (?:it|them|its|the|what|each|that|those)\b/g,
  "he: write you, the user": /(?<![\w'`.])(?:he|his|him)(?![\w'`])/gi,
  "another X than: write a different X from": /\b(?:an)?other \w+ than\b/g,
  "also if: write even if": /\balso (?:if|when|while|where)\b/g,
  "says of: write says about": /\b(?:says?|said|knows?|known|tells?) of\b/g,
  "goes on: write continues": /\b(?:go(?:es|ing)?|went|gone) on\b(?! and on)/g,
  "look at: write read, check, inspect": /\blook(?:s|ed|ing)? (?:at|whether)\b/g,
  "in a circle, a way out: write a cycle, a solution": /\bin (?:a )?circles?\b|\bcircles? of\b|\bway out\b/gi,
  "how far apart: write how much they differ": /\bhow far apart\b/gi,
  "taken to be: write assumed to be": /\btaken to be\b/g,
  "for ever, without end: write forever": /\bfor ever\b|\bwithout end\b/g,
  "good answers: write successful answers": /\bgood (?:answers|responses)\b/g,
  "meanwhile: write in the meantime": /\bmeanwhile\b(?!")/g,
  "a clause as the subject: name the thing":
    /(?:^|[.!?:] |\/\*\* |\/\/ |\| )(?:What (?!to\b|is\b|are\b|it\b|does\b)|Whose |Whatever |Whoever |Of (?:a|an|the|one|each|such|those) )[a-z`]/gm,
} as const;

type Text = readonly [file: string, text: string];

const areas = {
  guides: () =>
    read(
      /^(?:README|CONTRIBUTING)\.md$|^docs\/(?:decisions\/)?[^/]+\.md$|^(?:packages|examples)\/(?:[^/]+\/)?README\.md$/,
    ).map(prose),
  diagnostics: () => read(/^docs\/diagnostics\/.*\.md$/).map(prose),
  strings: () => sources().map(([file, text]) => [file, strings(withoutComments(text))] as const),
  comments: () => sources().map(([file, text]) => [file, comments(text)] as const),
  changesets: () => read(/^\.changeset\/.*\.md$/).map(prose),
  // No strings: those of scripts are mostly data, such as training sentences.
  scripts: () => read(/\.mjs$/).map(([file, text]) => [file, comments(text)] as const),
  python: () =>
    read(/^packages\/[^/]+\/python\/.*\.py$|\.toml$/).map(
      ([file, text]) => [file, pythonComments(text)] as const,
    ),
  "test names": () => read(/\.test\.ts$/).map(([file, text]) => [file, testNames(text)] as const),
};

test.each(Object.keys(areas))("%s contain no phrases to rewrite", (area) => {
  const texts = areas[area as keyof typeof areas]();
  const found = Object.entries(phrases).flatMap(([name, phrase]) =>
    texts.flatMap(([file, content]) => hits(file, content, phrase).map((hit) => `${name}: ${hit}`)),
  );
  expect(found).toEqual([]);
});

const filesIn = (folder: string): readonly string[] =>
  readdirSync(`${root}${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory())
      return /^(?:\.|node_modules$|dist$|build$|generated$)/.test(entry.name) ? [] : filesIn(`${path}/`);
    return /\.(?:md|mjs|py|toml|tsx?)$/.test(path) ? [path] : [];
  });

const files = [".changeset/", "docs/", "examples/", "packages/", "test/"]
  .flatMap(filesIn)
  .concat(".ruff.toml", "README.md", "CONTRIBUTING.md");

const read = (path: RegExp): readonly Text[] =>
  files.filter((file) => path.test(file)).map((file) => [file, readFileSync(`${root}${file}`, "utf8")]);

const sources = (): readonly Text[] =>
  read(/^packages\/[^/]+\/(?:src|page)\/.*\.tsx?$/).filter(
    ([file]) => !/\.(?:test|fixture|cases)\.ts$/.test(file),
  );

const prose = ([file, text]: Text): Text => [
  file,
  text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "").replaceAll(/`[^`\n]*`/g, "`"),
];

const withoutComments = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

/** Sentences only, also those of JSX: no identifiers, and no messages of Triton, which are quoted in `says` and `words`. */
const strings = (text: string): string =>
  [...text.matchAll(/(\b(?:says|words|triton): *)?("(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|>[^<>{}()=;]+<\/)/g)]
    .filter(([, quoted, string = ""]) => quoted === undefined && / [a-z]/.test(string))
    .map(([, , string]) => string)
    .join("\n");

const comments = (text: string): string =>
  [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/ .*$/gm)].map(([comment]) => comment).join("\n");

const pythonComments = (text: string): string =>
  [...text.matchAll(/"""[\s\S]*?"""|(?<=^|\s)# .*$/gm)].map(([comment]) => comment).join("\n");

const testNames = (text: string): string =>
  [...text.matchAll(/\b(?:test|it|describe)(?:\.\w+)*(?:\([^"'`]*?\))?\(\s*(["'`])((?:\\.|(?!\1)[^\n])*)\1/g)]
    .map(([, , name]) => name)
    .join("\n");

const hits = (file: string, text: string, phrase: RegExp): readonly string[] =>
  [...text.matchAll(phrase)].map(({ index }) => `${file}: ${text.slice(index, index + 70).split("\n")[0]}`);
