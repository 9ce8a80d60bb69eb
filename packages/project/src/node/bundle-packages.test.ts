import { expect, test } from "vitest";
import { bundleStep, type Files, projectOf, runBundle } from "./bundle.fixture.ts";

const using = (...names: readonly string[]): Files => ({
  "pipeline.ts": `import { step } from "tritype";
${names.map((name, i) => `import p${i} from "${name}";`).join("\n")}
export const clean = step({ name: "clean", run: () => ({ out: [${names.map((_, i) => `p${i}`).join()}].join() }) }); // here
`,
});

const packageOf = (name: string, json: object, index = `module.exports = "${name}";`): Files => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({
    name,
    version: "1.2.3",
    main: "index.js",
    ...json,
  }),
  [`node_modules/${name}/index.js`]: index,
});

test("packages in the bundle are listed with their licenses, by name", async () => {
  const files = {
    ...using("z", "@a/b", "old", "file", "none"),
    ...packageOf("z", { license: "MIT" }, 'module.exports = require("inner");'),
    ...packageOf("z/node_modules/inner", { license: "Apache-2.0", version: "2.0.0" }),
    ...packageOf("@a/b", { license: "(MIT OR CC0-1.0)" }),
    ...packageOf("old", { licenses: [{ type: "MIT" }, { type: "BSD" }] }),
    ...packageOf("file", {}),
    "node_modules/file/LICENCE.txt": "Do what you like.",
    ...packageOf("none", {}),
    ...packageOf("unused", {}),
  };
  const bundled = await bundleStep(projectOf(files), files);
  expect(bundled).toMatchObject({
    packages: [
      { name: "@a/b", version: "1.2.3", licence: "(MIT OR CC0-1.0)" },
      { name: "file", version: "1.2.3", licence: "LICENCE.txt" },
      { name: "inner", version: "2.0.0", licence: "Apache-2.0" },
      { name: "none", version: "1.2.3", licence: undefined },
      { name: "old", version: "1.2.3", licence: "(MIT OR BSD)" },
      { name: "z", version: "1.2.3", licence: "MIT" },
    ],
    native: [],
    problems: [],
  });
});

const natives: Readonly<Record<string, Files>> = {
  "node-gyp builds": { ...packageOf("addon", {}), "node_modules/addon/binding.gyp": "{}" },
  "prebuilds has": {
    ...packageOf("addon", {}),
    "node_modules/addon/prebuilds/linux-x64/node.napi.node": "",
  },
  "comes from a package for each platform": packageOf("addon", {
    optionalDependencies: { "@addon/addon-linux-x64": "1.2.3", "@addon/addon-darwin-arm64": "1.2.3" },
  }),
};

test.each(Object.entries(natives))("an addon that %s is left out of the bundle", async (_, addon) => {
  const files = {
    ...using("addon", "wrapper"),
    ...addon,
    ...packageOf("wrapper", {}, 'module.exports = require("addon") + "!";'),
  };
  const bundled = await bundleStep(projectOf(files), files);
  expect(bundled).toMatchObject({
    packages: [{ name: "wrapper" }],
    native: [{ name: "addon", version: "1.2.3" }],
    problems: [],
  });
  const installed = Object.fromEntries(
    Object.entries(files).filter(([path]) => path.startsWith("node_modules/addon/")),
  );
  expect(runBundle(bundled, {}, installed)).toEqual({ answer: { out: "addon,addon!" }, printed: "" });
});

test("an addon that a package loads with createRequire is installed too", async () => {
  const files = {
    ...using("outer"),
    ...packageOf(
      "outer",
      { type: "module" },
      'import { createRequire } from "module";\nconst load = createRequire(import.meta.url);\nexport default load("addon");',
    ),
    ...packageOf("addon", { gypfile: true }),
  };
  const bundled = await bundleStep(projectOf(files), files);
  expect(bundled).toMatchObject({ packages: [{ name: "outer" }], native: [{ name: "addon" }], problems: [] });
  const installed = Object.fromEntries(
    Object.entries(files).filter(([path]) => path.startsWith("node_modules/addon/")),
  );
  expect(runBundle(bundled, {}, installed)).toEqual({ answer: { out: "addon" }, printed: "" });
});

test("a native package that only other steps need is not installed", async () => {
  const files: Files = {
    "pipeline.ts": `import { step } from "tritype";
import { other, one } from "./other.ts";
export const clean = step({ name: "clean", run: () => ({ out: one }) }); // here
`,
    "other.ts": `import { step } from "tritype";
import addon from "addon";
export const one = 1;
export const other = step({ name: "other", run: () => ({ out: addon }) });
`,
    ...packageOf("addon", { gypfile: true, sideEffects: false }),
  };
  const bundled = await bundleStep(projectOf(files), files);
  expect(bundled).toMatchObject({ packages: [], native: [], problems: [] });
  expect(runBundle(bundled, {})).toEqual({ answer: { out: 1 }, printed: "" });
});

test("a step is not refused for a file that only another export of a module reads", async () => {
  const files: Files = {
    "pipeline.ts": `import { step } from "tritype";
import { count } from "./lists.ts";
export const clean = step({ name: "clean", run: () => ({ out: count("words.txt") }) }); // here
`,
    "lists.ts": `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
export const words = () => readFileSync(new URL("./words.txt", import.meta.url), "utf8");
export const table = () => createRequire(import.meta.url)("./words.txt");
export const count = (name: string) => ["./words.txt", name].length;
`,
    "words.txt": "a",
  };
  const bundled = await bundleStep(projectOf(files), files);
  expect(bundled.problems).toEqual([]);
  expect(runBundle(bundled, {})).toEqual({ answer: { out: 2 }, printed: "" });
});

test("a package that only starts its worker on request is bundled", async () => {
  const files: Files = {
    ...using("log"),
    ...packageOf(
      "log",
      {},
      `const { Worker } = require("worker_threads");
const { join } = require("path");
const log = () => "plain";
log.toString = log;
module.exports = log;
log.threaded = () => new Worker(join(__dirname, "worker.js"));`,
    ),
    "node_modules/log/worker.js": "",
  };
  const bundled = await bundleStep(projectOf(files), files);
  expect(bundled.problems).toEqual([]);
  expect(runBundle(bundled, {})).toEqual({ answer: { out: "plain" }, printed: "" });
});

interface Refused {
  readonly files: Files;
  readonly problems: readonly string[];
}

const refused: Readonly<Record<string, Refused>> = {
  "a package that is not installed": {
    files: using("absent/part"),
    problems: [
      'node/source pipeline.ts:2:16: the package "absent/part" is not installed; npm install absent; paths to your own files start with "./"',
    ],
  },
  "a file that is missing, and a syntax error": {
    files: {
      "pipeline.ts": `import { step } from "tritype";
import { a } from "./a.ts";
import { b } from "./b.ts";
export const clean = step({ name: "clean", run: () => ({ out: a + b }) }); // here
`,
      "b.ts": "export const b = ;",
    },
    problems: [
      'node/source b.ts:1:18: syntax error: Unexpected ";"; correct it there or just before; your editor marks the same position',
      'node/source pipeline.ts:2:19: the file "./a.ts" does not exist; check the path; it is relative to the importing file, and must name a file, not a folder',
    ],
  },
  "a package that lacks one of its dependencies": {
    files: {
      ...using("outer"),
      ...packageOf("outer", {}, 'module.exports = require("inner");'),
      ...packageOf("inner", {}, 'module.exports = require("gone");'),
    },
    problems: [
      'node/package pipeline.ts:2:16: the package "inner" cannot run in Triton: the package "gone" is not installed; use another package, or run this code in a separate service',
    ],
  },
  "a package that loads modules by computed names": {
    files: {
      ...using("views"),
      ...packageOf("views", {}, "module.exports = (name) => {\n  return require(name);\n};"),
    },
    problems: [
      'node/package pipeline.ts:2:16: the package "views" cannot run in Triton: it loads modules by computed names (node_modules/views/index.js:2); use another package, or run this code in a separate service',
    ],
  },
  "a package that reads WebAssembly from its folder": {
    files: {
      ...using("wasm"),
      ...packageOf(
        "wasm",
        {},
        'const at = __dirname + "/"; module.exports = () => require("fs").readFileSync(at + "code.wasm");',
      ),
      "node_modules/wasm/code.wasm": "",
    },
    problems: [
      'node/package pipeline.ts:2:16: the package "wasm" cannot run in Triton: it reads its own file "code.wasm" from disk; use another package, or run this code in a separate service',
    ],
  },
  "an addon without a package": {
    files: {
      "src/pipeline.ts": `import { step } from "tritype";
import addon from "./build/addon.node";
export const clean = step({ name: "clean", run: () => addon }); // here
`,
      "src/build/addon.node": "",
    },
    problems: [
      `node/addon src/pipeline.ts:2:19: "src/build/addon.node" is a native addon outside an npm package, built for this machine only; install it as an npm package that supports the server's platform`,
    ],
  },
  "a native package in two versions": {
    files: {
      ...using("addon", "outer"),
      ...packageOf("addon", { gypfile: true }),
      ...packageOf("outer", {}, 'module.exports = require("addon");'),
      ...packageOf("outer/node_modules/addon", { gypfile: true, version: "2.0.0" }),
    },
    problems: [
      'node/versions pipeline.ts:2:16: the step uses "addon" in the versions 1.2.3 and 2.0.0, but only one version of a package with native addons can be installed for it; install one version for all of them; `npm ls addon` shows which packages need which version',
    ],
  },
  "files next to the sources, if the step reads them": {
    files: {
      "src/pipeline.ts": `import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { step } from "tritype";
const sample = readFileSync(new URL("./sample.txt", import.meta.url), "utf8");
const words = readFileSync(new URL("./words.txt", import.meta.url), "utf8");
const table = readFileSync(join(import.meta.dirname, "data/table.bin"));
const list = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "list.txt"));
const absent = new URL("./absent.txt", import.meta.url);
export const clean = step({ name: "clean", run: () => ({ out: words + table + list + absent }) }); // here
export const other = step({ name: "other", run: () => ({ out: sample }) });
`,
      "src/words.txt": "a",
      "src/list.txt": "d",
      "src/sample.txt": "b",
      "src/data/table.bin": "c",
    },
    problems: [
      'node/file-beside src/pipeline.ts:6:36: the step reads "./words.txt" from the folder of its source, but the server only has the bundle; import it, so that it becomes part of the bundle: `import content from "./words.txt"`',
      'node/file-beside src/pipeline.ts:7:54: the step reads "data/table.bin" from the folder of its source, but the server only has the bundle; import the content from a .json, .txt or .ts file, or read it from a folder on the server',
      'node/file-beside src/pipeline.ts:8:73: the step reads "list.txt" from the folder of its source, but the server only has the bundle; import it, so that it becomes part of the bundle: `import content from "./list.txt"`',
    ],
  },
  "modules loaded with createRequire": {
    files: {
      "pipeline.ts": `import { createRequire } from "node:module";
import { step } from "tritype";
const load = createRequire(import.meta.url);
const table = load("./table.json");
const path = load("node:path");
const os = createRequire(import.meta.url)("os");
export const clean = step({ name: "clean", run: () => ({ out: [table, path, os] }) }); // here
`,
      "table.json": "[]",
    },
    problems: [
      'node/dynamic-import pipeline.ts:4:20: "./table.json" is loaded with createRequire(), so the bundle cannot contain it; import it: `import content from "./table.json"`',
    ],
  },
  "a package that loads another one with createRequire": {
    files: {
      ...using("outer"),
      ...packageOf(
        "outer",
        { type: "module" },
        'import { createRequire } from "module";\nconst from = createRequire(import.meta.url);\nexport default from("inner");',
      ),
      ...packageOf("inner", {}),
    },
    problems: [
      'node/package pipeline.ts:2:16: the package "outer" cannot run in Triton: it loads "inner" with createRequire; use another package, or run this code in a separate service',
    ],
  },
  "modules by computed names": {
    files: {
      "pipeline.ts": `import { step } from "tritype";
// import(name) in a comment
const text = "import(name)";
export const clean = step({ name: "clean", run: async ({ name }) => { // here
  const loaded = await import(name) ?? import(\`dayjs/locale/\${name}\`) ?? import(\`./lang/\${name}.ts\`);
  return { out: loaded + require(name) + text };
} });
`,
      "lang/de.ts": "export default 1;",
    },
    problems: [
      "node/dynamic-import pipeline.ts:6:26: the module in `require(…)` is not a literal, so the bundle cannot contain it; write one import for each possible module, with its name as a literal",
      "node/dynamic-import pipeline.ts:5:24: the module in `import(…)` is not a literal, so the bundle cannot contain it; write one import for each possible module, with its name as a literal",
      "node/dynamic-import pipeline.ts:5:40: the module in `import(…)` is not a literal, so the bundle cannot contain it; write one import for each possible module, with its name as a literal",
    ],
  },
};

test.each(Object.entries(refused))("refused: %s", async (_, { files, problems }) => {
  const bundled = await bundleStep(projectOf(files), files);
  expect(
    bundled.problems.map(
      ({ code, at, message, help }) => `${code} ${at.file}:${at.line}:${at.column}: ${message}; ${help}`,
    ),
  ).toEqual(problems);
  expect(bundled.files.size).toBe(0);
});
