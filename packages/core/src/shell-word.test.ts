import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

import { shellWord } from "./shell-word.ts";

test.each([
  ["model.onnx", "model.onnx"],
  ["--save={path}", "--save={path}"],
  ["{a,b}", "'{a,b}'"],
  ["{1..3}", "'{1..3}'"],
  ["two words", "'two words'"],
  ["it's", String.raw`'it'\''s'`],
  ["", "''"],
])("%s is written as %s, and bash reads it as it was", (word, written) => {
  expect(shellWord(word)).toBe(written);
  expect(execFileSync("bash", ["-c", `printf %s ${written}`], { encoding: "utf8" })).toBe(word);
});
