// Prints random sentences of the docs, comments and messages, for a review of their English. Build the packages first.
// node test/workspace/sample-sentences.mjs --seed 7 [--count 200] [folder or file …]
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript";
import { random } from "../../packages/core/dist/index.js";
import { root } from "./workspace.mjs";

/** Texts by file: prose of Markdown; comments, messages and test names of TypeScript; comments of Python. */
const readers = [
  [/^(?:CHANGELOG|CONTRIBUTING)\.md$|^docs\/.*\.md$|(?:^|\/)README\.md$/, markdown],
  [/^(?:packages\/[^/]+\/(?:src|page)|test|examples)\/.*\.(?:ts|tsx|mjs)$/, typescript],
  [/^(?:packages\/[^/]+\/python|test|examples)\/.*\.py$/, python],
];

/** All sentences of the files that git tracks in the given paths, in order: `{ file, line, sentence }`. */
export function sentencesOf(paths = []) {
  const files = execFileSync("git", ["ls-files", ...paths], { cwd: root, encoding: "utf8" }).split("\n");
  return files.flatMap((file) => {
    const read = readers.find(([pattern]) => pattern.test(file))?.[1];
    if (read === undefined || /\/(?:golden|generated|reports)\//.test(file)) return [];
    const content = readFileSync(join(root, file), "utf8");
    return read(content, file).flatMap(({ at, text }) => split(content, file, at, text));
  });
}

function split(content, file, at, text) {
  const line = content.slice(0, at).split("\n").length;
  return [...text.matchAll(/\S[\s\S]*?(?:(?<!\b(?:e\.g|i\.e|etc))[.!?](?=\s+[^a-z\s])|$)/g)]
    .map(({ 0: found, index }) => ({
      file,
      line: line + text.slice(0, index).split("\n").length - 1,
      sentence: found.replaceAll(/\s*\n[\s*#/>]*|\*\*/g, " ").trim(),
    }))
    .filter(({ sentence }) => isProse(sentence));
}

/** Whether a text has at least three words of lower-case letters, which make up most of it. */
function isProse(sentence) {
  const words =
    sentence
      .replaceAll(/`[^`]*`|\]\([^)]*\)/g, "")
      .match(/(?<![\w/.$-])[A-Za-z]?[a-z']*[a-z](?![\w/=(-])/g) ?? [];
  return (
    words.length >= 3 && words.join(" ").length > sentence.replaceAll(/`[^`]*`|\]\([^)]*\)/g, "").length / 2
  );
}

/** Paragraphs, headings, items of lists, and cells of tables; no code. */
function markdown(content) {
  const prose = content.replaceAll(/^( *)(`{3,})[\s\S]*?^\1\2$/gm, (code) => code.replaceAll(/[^\n]/g, " "));
  return [...prose.matchAll(/(?:\S(?:[^|\n]|\n(?! *(?:[-*|#>]|\d+\. |\n)))*)/g)].map(
    ({ 0: text, index }) => ({
      at: index,
      text: text.replace(/^(?:[-*#>|\s]|\d+\. )+/, ""),
    }),
  );
}

function python(content) {
  const comments = /^[ \t]*#(?!!).*(?:\n[ \t]*#.*)*|[ \t]#[^"'\n]*$|"""[\s\S]*?"""/gm;
  return [...content.matchAll(comments)].map(({ 0: text, index }) => ({
    at: index,
    text: text.replaceAll(/^\s*#\s?|"""/gm, ""),
  }));
}

function typescript(content, file) {
  const isTest = !file.startsWith("packages/") || /\.(?:test|fixture|cases)\.tsx?$/.test(file);
  const found = new Map();
  const add = (at, text) => found.set(at, { at, text });
  const visit = (node) => {
    const comments = [
      ...(ts.getLeadingCommentRanges(content, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(content, node.end) ?? []),
    ];
    for (const { pos, end } of joined(comments, content)) add(pos, uncommented(content.slice(pos, end)));
    if ((isTest ? isTestName(node) : isMessage(node)) && !node.getText().includes("\n"))
      add(
        node.getStart(),
        node
          .getText()
          .slice(1, -1)
          .replaceAll(/\$\{[^}]*\}/g, "…"),
      );
    node.getChildren().forEach(visit);
  };
  visit(ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true));
  return [...found.values()].toSorted((a, b) => a.at - b.at);
}

/** Lines of `//` that follow each other are one comment. */
const joined = (comments, content) =>
  comments.reduce((all, { pos, end }) => {
    const last = all.at(-1);
    const continues = last !== undefined && /^\s*\/\/.*\n\s*$/.test(content.slice(last.start, pos));
    return continues
      ? [...all.slice(0, -1), { ...last, start: pos, end }]
      : [...all, { pos, start: pos, end }];
  }, []);

const uncommented = (comment) =>
  comment.replaceAll(
    /^\s*(?:\/\*\*?|\/\/|\*(?!\/))\s?|\*\/$|@param (?:\{.*?\} )?\w+|@[\w-]+(?: \{.*?\})?/gm,
    "",
  );

const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

const isTestName = (node) =>
  isText(node) &&
  ts.isCallExpression(node.parent) &&
  /^(?:test|it|describe)\b/.test(node.parent.expression.getText());

/** Excludes the messages of Triton, which are quoted in `says`, `words` and `triton`. */
const isMessage = (node) =>
  isText(node) &&
  !(ts.isPropertyAssignment(node.parent) && /^(?:says|words|triton)$/.test(node.parent.name.getText()));

/** `count` of the items in the order of a seeded shuffle. */
function sampled(items, count, seed) {
  const next = random(seed);
  return items
    .map((item) => [next(), item])
    .toSorted(([a], [b]) => a - b)
    .slice(0, count)
    .map(([, item]) => item);
}

if (process.argv[1] === import.meta.filename) {
  const options = { seed: { type: "string", default: "1" }, count: { type: "string", default: "200" } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const all = sentencesOf(positionals);
  for (const { file, line, sentence } of sampled(all, Number(values.count), Number(values.seed)))
    console.log(`${file}:${line}: ${sentence}`);
  console.error(`from ${all.length} sentences`);
}
