import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { explainMessage } from "@tritype/check";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const tracked = (...patterns: readonly string[]): readonly string[] =>
  execFileSync("git", ["ls-files", ...patterns], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter(Boolean);

const unknown = (texts: readonly string[]): readonly string[] =>
  texts.filter((text) => explainMessage(text) === undefined);

test("every log line listed in the documentation is explained, as written there", () => {
  const lines = tracked("docs/*.md").flatMap((file) => {
    const tables = read(file).split("| Triton's log |").slice(1);
    return tables.flatMap((table) =>
      [...(table.split("\n\n")[0] ?? "").matchAll(/^\| `([^`]+)` \|/gm)].map(([, line = ""]) => line),
    );
  });
  expect(lines.length).toBeGreaterThan(4);
  expect(unknown(lines)).toEqual([]);
});

test("every error of a function shown in the documentation is explained", () => {
  const answers = tracked("docs/*.md").flatMap((file) =>
    [...read(file).matchAll(/^```text\n((?:\w+: row \d+: .*\n)+)```/gm)].flatMap(([, lines = ""]) =>
      lines.trim().split("\n"),
    ),
  );
  expect(answers.length).toBeGreaterThan(0);
  expect(unknown(answers)).toEqual([]);
});

test("every error in the guide to flows is explained", () => {
  const errors = [...read("docs/flows.md").matchAll(/\| `((?:…|ask:) .*?)` \|/g)].map(([, text = ""]) =>
    text.replace("… ", "ask: row 0: "),
  );
  expect(errors.length).toBeGreaterThan(6);
  expect(unknown(errors)).toEqual([]);
});

const steps = [
  "packages/generation/python/*.py",
  "packages/compiler/python/*.py",
  "packages/translator/python/support/json_text.py",
];

test("every error message of a built step's Python is explained", () => {
  const errors = raisedIn(tracked(...steps)).map((error) => `clean: ${error}`);
  expect(errors.length).toBeGreaterThan(15);
  expect(unknown(errors)).toEqual([]);
});

test("every message of the local runtime for a pb_utils call is explained", () => {
  const errors = raisedIn(tracked("packages/runtime/python/tritype_child/*.py"));
  expect(errors.length).toBeGreaterThan(30);
  expect(unknown(errors)).toEqual([]);
});

/** Exceptions whose text is only that of Python or of another message, and exceptions that never reach a user. */
const elsewhere = /^(?:wrong_arguments|EOFError|StopIteration)$/;
const notAnError = [
  /^row 1: [^:]*$/,
  /^a frame does not begin/,
  /needs the runtime$/,
  /kwargs: error=/,
  /^Failed to 1: /,
  /has no attribute '1'$/,
  /^Failed to process the request/,
];

/** The texts of `raise X("…")` in some files, with suitable values for the placeholders in f-strings. */
const raisedIn = (files: readonly string[]): readonly string[] =>
  files
    .filter((file) => !file.endsWith(".test.ts"))
    .flatMap((file) => [...read(file).matchAll(raise)])
    .filter(([, name = ""]) => !elsewhere.test(name))
    .map(([, , literals = ""]) => [...literals.matchAll(literal)].map(([, a, b]) => a ?? b ?? "").join(""))
    .map(filled)
    .filter((text) => !notAnError.some((pattern) => pattern.test(text)));

const literal = /f?(?:"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)')/g;
const raise = /raise (\w+)\(\s*((?:f?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')\s*)+)/g;

/** Patterns and values, in the order in which they are tried. */
const fillings: readonly (readonly [pattern: RegExp, value: string])[] = [
  [/\{\{ (data, shape) \}\}/g, "< $1 >"],
  [/\{row\}output/g, "row 1: output"],
  [/creating \{what\}/g, "creating Metric"],
  [/\{subject\}/g, "for request with id '1' and model name 'm' should not be empty"],
  [/\{type\(\w+\)\}/g, "<class 'int'>"],
  [/\{what\}/g, "row 1: output y"],
  [/\{called\}/g, "text"],
  [/\{(?:shape|dims|shown(?:\[\d\])?|list\([\w.]+\))\}/g, "[2, 3]"],
  [/\{unknown\([^)]*\)\}/g, '"xx"; the languages are de, en'],
  [/\{[^{}]*\}/g, "1"],
  [/< (data, shape) >/g, "{ $1 }"],
  [/\\'/g, "'"],
];
const filled = (text: string): string =>
  fillings.reduce((all, [pattern, value]) => all.replaceAll(pattern, value), text);
