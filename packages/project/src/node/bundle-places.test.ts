import { join } from "node:path";
import { expect, test } from "vitest";
import { createBuildInputs } from "../build-inputs.ts";
import { bundleFunction } from "./bundle-function.ts";
import { bundleStep, type Files, projectOf, runBundle, writeFiles } from "./bundle.fixture.ts";

test("an error's stack has the author's files, lines and columns", async () => {
  const files: Files = {
    "src/pipeline.ts": `import { step, bytes, defineEnsemble } from "tritype";
import { z } from "zod";
import { check } from "./check.ts";

interface Row {
  readonly text: string;
}
export const other = step({ name: "other", run: () => z.string() });

/* é */ export const clean = step({ name: "clean", inputs: { text: bytes(["batch"]) }, run }); // here

function run({ text }: Row): Row {
  "é"; return { text: check(text) };
}
`,
    "src/check.ts": `import { createRequire } from "node:module";
const require = createRequire(import.meta.url); class Plain { field = () => 1; }
export const check = (text: string): string => {
  for (const letter of text) if (letter === "b") throw new RangeError("no b");
  return require.name + new Plain().field();
};
`,
  };
  const bundled = await bundleStep(projectOf(files, ["zod"]), files);
  const { stack } = runBundle(bundled, { text: "Ab" });
  expect(stack?.split("\n").slice(0, 3)).toEqual([
    "RangeError: no b",
    "    at check (src/check.ts:4:56)",
    "    at run (src/pipeline.ts:13:23)",
  ]);
});

test("a source of another package in the workspace has its own position, as if it were in the project", async () => {
  const files: Files = {
    "apps/one/pipeline.ts": `import { step } from "tritype";
import { check } from "../../shared/src/check.ts";
export const clean = step({ name: "clean", run: ({ text }) => ({ out: check(text) }) }); // here`,
    "shared/src/check.ts": `export const check = (text: string): string => {
  throw new RangeError(import.meta.url.split("/").at(-3) + text);
};`,
  };
  const root = join(projectOf(files), "apps/one");
  const bundled = await bundleStep(root, { "pipeline.ts": files["apps/one/pipeline.ts"] ?? "" });
  expect(runBundle(bundled, { text: "Ab" }).stack?.split("\n").slice(0, 3)).toEqual([
    "RangeError: sharedAb",
    "    at check (shared/src/check.ts:2:9)",
    "    at run (pipeline.ts:3:71)",
  ]);
});

test("a position in a package is given relative to node_modules", async () => {
  const files: Files = {
    "pipeline.ts": `import { step } from "tritype";
import { fail } from "failing";
export const clean = step({ name: "clean", run: fail }); // here`,
    "node_modules/@a/failing/package.json": '{ "name": "@a/failing", "type": "module" }',
    "node_modules/failing/package.json": '{ "name": "failing", "version": "1.0.0" }',
    "node_modules/failing/lib/index.js": "exports.fail = () => {\n  throw new Error('always');\n};",
    "node_modules/failing/index.js": "module.exports = require('./lib/index.js');",
  };
  const { stack } = runBundle(await bundleStep(projectOf(files), files), {});
  expect(stack?.split("\n").slice(0, 2)).toEqual([
    "Error: always",
    "    at exports.fail (node_modules/failing/lib/index.js:2:9)",
  ]);
});

test("the stack frames around a step are needed if a function in another file creates it", async () => {
  const files: Files = {
    "lib/make.ts": `import { step, bytes } from "tritype";
export const make = (name: string, suffix: string) =>
  step({ name, inputs: { text: bytes(["batch"]) }, run: ({ text }) => ({ out: text + suffix }) });
`,
    "pipeline.ts": `import { defineEnsemble } from "tritype";
import { make } from "./lib/make.ts";
import { z } from "zod";

export const shout = make("shout", z.string().parse("!"));
export const clean = make("clean", "?");
export const e = defineEnsemble({ name: "e", run: ({ text }) => shout(clean({ text })) });
`,
  };
  const root = projectOf(files, ["zod"]);
  const request = {
    root,
    step: "clean",
    file: "lib/make.ts",
    line: 3,
    nodeMajor: 20,
    inputs: createBuildInputs(),
  };
  const callers = [{ file: "pipeline.ts", line: 6, column: 22 }];
  const bundled = await bundleFunction({ ...request, callers });
  expect(runBundle(bundled, { text: "Ab" })).toEqual({ answer: { out: "Ab?" }, printed: "" });
  expect(bundled.packages).toEqual([]);
  expect(runBundle(await bundleFunction(request), { text: "Ab" }).stack).toMatch(
    'Error: step "clean" is not defined when lib/make.ts is loaded',
  );
});

test("values of tritype cannot be used while a step runs", async () => {
  const files: Files = {
    "pipeline.ts": `import { defineEnsemble, step } from "tritype";
const inner = defineEnsemble({ name: "inner", run: (x) => x });
export const clean = step({ name: "clean", run: (row) => inner.run(row) }); // here`,
  };
  expect(runBundle(await bundleStep(projectOf(files), files), {}).stack).toMatch(
    "Error: steps, ensembles and other values of tritype cannot be used while a step runs; a flow calls the steps in its `uses` through the second parameter of `run`",
  );
});

test("the same files give the same bytes in any folder, without the machine's paths", async () => {
  const files: Files = {
    "src/pipeline.ts": `import { step } from "tritype";
import { name } from "p";
export const clean = step({ name: "clean", run: () => ({ out: import.meta.url + name }) }); // here`,
    "node_modules/p/package.json": '{ "name": "p", "version": "1.0.0" }',
    "node_modules/p/index.js": "exports.name = __dirname;",
  };
  const [one, two] = [projectOf(files), projectOf(files)];
  const first = await bundleStep(one, files);
  expect((await bundleStep(two, files)).files).toEqual(first.files);
  expect(first.packages).toEqual([{ name: "p", version: "1.0.0", licence: undefined }]);
  for (const text of first.files.values()) expect(text).not.toContain(one);
});

test("a bundle is cached until one of its sources changes", async () => {
  const files: Files = {
    "src/pipeline.ts": `import { step } from "tritype";
import { suffix } from "./suffix";
import { name } from "p";
export const clean = step({ name: "clean", run: () => ({ out: suffix + name }) }); // here`,
    "src/suffix/index.ts": 'export const suffix: string = "1";',
    "node_modules/p/package.json": '{ "name": "p", "version": "1.0.0", "main": "one.js" }',
    "node_modules/p/one.js": 'exports.name = "one";',
    "node_modules/p/two.js": 'exports.name = "two";',
  };
  const root = projectOf(files);
  const bundle = async (): Promise<unknown> => runBundle(await bundleStep(root, files), {}).answer;
  const inputs = createBuildInputs();
  const made = await bundleStep(root, files, { inputs });
  const again = createBuildInputs();
  expect(await bundleStep(root, files, { inputs: again })).toEqual(made);
  expect(again.paths()).toEqual(inputs.paths());
  expect(inputs.paths().map((path) => path.slice(root.length))).toEqual(
    expect.arrayContaining(["/src/pipeline.ts", "/src/suffix", "/src/suffix/index.ts"]),
  );
  expect(inputs.paths().filter((path) => path.includes("node_modules"))).toEqual([]);
  expect(await bundle()).toEqual({ out: "1one" });
  const changes: readonly (readonly [Files, string])[] = [
    [{ "src/suffix/index.ts": 'export const suffix: string = "2";' }, "2one"],
    [{ "src/suffix.ts": 'export const suffix = "3";' }, "3one"],
    [{ "node_modules/p/package.json": '{ "name": "p", "version": "1.0.1", "main": "two.js" }' }, "3two"],
    [
      { "src/node_modules/p/package.json": "{}", "src/node_modules/p/index.js": 'exports.name = "near";' },
      "3near",
    ],
    [
      {
        "tsconfig.json": '{ "compilerOptions": { "paths": { "p": ["./p.ts"] } } }',
        "p.ts": 'export const name = "own";',
      },
      "3own",
    ],
    [
      {
        "tsconfig.json": '{ "extends": "./base" }',
        "base.json": '{ "compilerOptions": { "paths": { "p": ["./p.ts"] } } }',
        "q.ts": 'export const name = "other";',
      },
      "3own",
    ],
    [{ "base.json": '{ "compilerOptions": { "paths": { "p": ["./q.ts"] } } }' }, "3other"],
    [
      {
        "tsconfig.json": '{ "extends": "./base.json" }',
        "base.json": '{ "extends": "./tsconfig.json", "compilerOptions": { "paths": { "p": ["./p.ts"] } } }',
      },
      "3own",
    ],
  ];
  for (const [changed, out] of changes) {
    writeFiles(root, changed);
    expect(await bundle()).toEqual({ out });
  }
});
