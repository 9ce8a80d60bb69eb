// Makes of this package's Python the module that the compiler emits from: `node packages/generation/scripts/make-emitted.mjs`.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const names = ["model.py", "decoding.py", "sessions.py"];

export const emittedModule = fileURLToPath(
  new URL("../../compiler/src/generated/generation-python.ts", import.meta.url),
);

/** The text of the compiler's module. */
export const printModule = () =>
  [
    "// Made by packages/generation/scripts/make-emitted.mjs from the Python of @tritype/generation.",
    "/** What lies in the version folder of every generate step: name → text. */",
    "export const generationPython: Readonly<Record<string, string>> = {",
    ...names.flatMap((name) => [
      `  ${JSON.stringify(name)}: [`,
      ...readFileSync(new URL(`../python/${name}`, import.meta.url), "utf8")
        .split("\n")
        .map((line) => `    ${JSON.stringify(line)},`),
      '  ].join("\\n"),',
    ]),
    "};",
    "",
  ].join("\n");

if (process.argv[1] === import.meta.filename) writeFileSync(emittedModule, printModule());
