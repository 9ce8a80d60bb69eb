// Generates the Node host that `pipeline build` emits next to each function on Node: one file without types,
// from the sources of this package and those of @tritype/core that it uses. `node
// packages/node-host/scripts/make-host.mjs` writes it into the compiler.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const target = `${root}packages/compiler/src/generated/node-host.ts`;

const note = `// Tritype's host of a function on Node: answers the requests of the model.py next to it. Do not edit.
// SPDX-License-Identifier: Apache-2.0
`;

/** The code of \`host.mjs\`. */
export const makeHost = async () => {
  const { outputFiles } = await build({
    // The working folder of esbuild's process may be gone, as in tests that change theirs.
    absWorkingDir: root,
    entryPoints: ["packages/node-host/src/host/main.ts"],
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    target: "node20",
    charset: "utf8",
    conditions: ["@tritype/source"],
    banner: { js: note },
  });
  const text = outputFiles[0].text.replaceAll(/^\/\/ packages\/.*\n/gm, "");
  return execFileSync(
    process.execPath,
    [`${root}node_modules/@biomejs/biome/bin/biome`, "format", "--stdin-file-path=host.mjs"],
    { cwd: root, input: text, encoding: "utf8" },
  );
};

/** The module of the compiler that contains it. */
export const printModule = (text) =>
  [
    "// Made by packages/node-host/scripts/make-host.mjs from the sources of @tritype/node-host.",
    "/** `host.mjs` of functions on Node. */",
    "export const nodeHost: string = [",
    ...text.split("\n").map((line) => `  ${JSON.stringify(line)},`),
    '].join("\\n");',
    "",
  ].join("\n");

export { target as emittedModule };

if (process.argv[1] === import.meta.filename) writeFileSync(target, printModule(await makeHost()));
