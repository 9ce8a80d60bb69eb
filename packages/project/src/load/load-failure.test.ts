import { tmpdir } from "node:os";
import type { BuildFailure } from "esbuild";
import { expect, test } from "vitest";
import { bundleFailure } from "./load-failure.ts";

const failure = (text: string): BuildFailure =>
  Object.assign(new Error(text), {
    errors: [{ text, location: null, id: "", pluginName: "", notes: [], detail: undefined }],
    warnings: [],
  });

test("the error for a full disk names the folder for temporary files", () => {
  const text = "Failed to write to output file: write /t/entries.mjs: no space left on device";
  expect(bundleFailure("/project", failure(text))).toMatchObject({
    code: "file/not-writable",
    message: `cannot write to ${tmpdir()}: write /t/entries.mjs: no space left on device`,
    help: "make room there, or set TMPDIR to another folder",
  });
});

const inFile = (text: string, file: string): BuildFailure => {
  const made = failure(text);
  const location = {
    file,
    namespace: "file",
    line: 3,
    column: 4,
    length: 1,
    lineText: "abcd;",
    suggestion: "",
  };
  return Object.assign(made, { errors: made.errors.map((error) => ({ ...error, location })) });
};

test.each([
  ['Unexpected ";"', "a.ts", 'a.ts:3:5: syntax error: Unexpected ";"', "your editor marks the same position"],
  ['Unexpected "}" in JSON', "b.json", 'b.json:3:5: syntax error: Unexpected "}" in JSON', "trailing commas"],
  [
    'No loader is configured for ".jpg" files: a.jpg',
    "a.ts",
    "a.ts:3:5: a .jpg file cannot be imported",
    "readFileSync",
  ],
  [
    'Could not resolve "./b"',
    "a.ts",
    'a.ts:3:5: the file "./b" does not exist',
    "relative to the importing file",
  ],
  [
    'Could not resolve "@a/b/c"',
    "a.ts",
    'a.ts:3:5: the package "@a/b/c" is not installed',
    "npm install @a/b;",
  ],
])("%s is reported in terms of the project", (text, file, message, help) => {
  expect(bundleFailure("/project", inFile(text, file))).toMatchObject({
    code: "project/invalid",
    message,
    help: expect.stringContaining(help),
  });
});
