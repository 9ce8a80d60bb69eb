import { readdirSync } from "node:fs";
import { join } from "node:path";
import { compileProject, findProject } from "@tritype/project";
import { ProjectError, renderDiagnostic } from "@tritype/project/diagnostics";
import pc from "picocolors";
import { expect, onTestFinished, test } from "vitest";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";

const projectWith = (files: Readonly<Record<string, string>>): ProjectFixture => {
  const project = makeProject({ "pipeline.config.ts": "export default {};\n", ...files });
  onTestFinished(() => project.remove());
  return project;
};

/** The codes and first positions of a project's diagnostics, and the names of its models. */
const compiled = async ({ root }: ProjectFixture): Promise<{ found: string[]; models: string[] }> => {
  const { compilation } = await compileProject(findProject(root));
  return {
    found: compilation.diagnostics.map(({ code, labels: [label] }) =>
      label === undefined ? code : `${code} ${label.span.file}:${label.span.line}:${label.span.column}`,
    ),
    models: compilation.build?.manifest.models.map(({ name }) => name) ?? [],
  };
};

/** The message for a project that cannot be loaded. */
const refusal = async ({ root }: ProjectFixture): Promise<string> => {
  const error: unknown = await compileProject(findProject(root)).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProjectError)) throw error;
  return error.diagnostics
    .map((one) => renderDiagnostic(one, error.readSource, pc.createColors(false)))
    .join("\n\n");
};

const twoEntries = 'export default { entries: ["a.ts", "b.ts"] };\n';
const ensemble = (name: string, y: string, x = 'fp32("batch", 4)'): string =>
  `defineEnsemble({ name: ${name}, maxBatchSize: 8, inputs: { x: ${x} }, run: ({ x }) => ({ y: ${y} }) });\n`;
const a = `import { defineEnsemble, fp32 } from "tritype";
import { twice } from "./b.ts";
export const size = 4;
export const a = ${ensemble('"a"', "twice({ x }).y.add(1)")}`;

test("a name that is read before its file in an import cycle has run is refused, and the cycle is shown", async () => {
  const project = projectWith({
    "pipeline.config.ts": twoEntries,
    "a.ts": a,
    "b.ts": `import { defineEnsemble, fp32 } from "tritype";
import { size } from "./a.ts";
export const twice = ${ensemble('"twice" + size', "x.mul(2)")}`,
  });
  expect(await refusal(project)).toMatchInlineSnapshot(`
    "error[project/invalid]: \`size\` of a.ts is read before it is set: b.ts imports a.ts imports b.ts
     ┌─ b.ts:3:55
    3│ export const twice = defineEnsemble({ name: "twice" + size, maxBatchSize: 8, inputs: { x: fp32("batch", 4) }, run: ({ x }) => ({ y: x.mul(2) }) });
     │                                                       ^^^^ read while a.ts is still loading
     ├─ b.ts:2:1
    2│ import { size } from "./a.ts";
     │ ------ b.ts imports a.ts
     ├─ a.ts:2:1
    2│ import { twice } from "./b.ts";
     │ ------ a.ts imports b.ts
      = help: move \`size\` to a file that imports none of these, or read it in a function that is called later"
  `);
  project.write(
    "b.ts",
    `import { defineEnsemble, fp32 } from "tritype";
import { size as width } from "./sizes/index.ts";
export const twice = ${ensemble('"twice"', "x.mul(2)", 'fp32("batch", width)')}`,
  );
  project.write("sizes/index.ts", 'export { size } from "../a.ts";\n');
  expect(await refusal(project)).toMatchInlineSnapshot(`
    "error[project/invalid]: \`width\` of sizes/index.ts is read before it is set: b.ts imports sizes/index.ts imports a.ts imports b.ts
     ┌─ b.ts:3:98
    3│ export const twice = defineEnsemble({ name: "twice", maxBatchSize: 8, inputs: { x: fp32("batch", width) }, run: ({ x }) => ({ y: x.mul(2) }) });
     │                                                                                                  ^^^^^ read while sizes/index.ts is still loading
     ├─ b.ts:2:1
    2│ import { size as width } from "./sizes/index.ts";
     │ ------ b.ts imports sizes/index.ts
     ├─ sizes/index.ts:1:1
    1│ export { size } from "../a.ts";
     │ ------ sizes/index.ts imports a.ts
     ├─ a.ts:2:1
    2│ import { twice } from "./b.ts";
     │ ------ a.ts imports b.ts
      = help: move \`width\` to a file that imports none of these, or read it in a function that is called later"
  `);
});

test("a project with an import cycle whose names are read later is built; other mistakes are reported as usual", async () => {
  const project = projectWith({
    "pipeline.config.ts": twoEntries,
    "a.ts": `${a}export enum Unit { One = 1 }\nexport class Wide { width = size; }\n`,
    "b.ts": `import { defineEnsemble, fp32 } from "tritype";
import { Unit, Wide, size } from "./a.ts";
const later = () => [size, Unit.One, new Wide().width];
const text = \`
var size = 3;
\`;
export const twice = ${ensemble('text.includes("var size") ? "twice" : String(later)', "x.mul(2)")}`,
  });
  expect((await compiled(project)).models).toEqual(["a", "a_y", "twice", "twice_y"]);
  project.write("b.ts", 'console.log(own);\nconst own = 1;\nexport const twice = own;\nimport "./a.ts";\n');
  expect(await refusal(project)).toContain("your code threw ReferenceError: Cannot access 'own'");
});

test("CommonJS files of a project may require Node's modules and packages", async () => {
  const project = projectWith({
    "old.cjs": `const { basename } = require("path");
exports.name = basename("/a/embed") + require("small").part;
`,
    "older.cts": `import os = require("os");\nexport = { eol: os.EOL };\n`,
    "node_modules/small/package.json": '{ "name": "small", "version": "1.0.0" }',
    "node_modules/small/index.js": 'exports.part = "_s";',
    "pipeline.ts": `import { createRequire } from "node:module";
import { defineEnsemble, fp32 } from "tritype";
// @ts-expect-error -- It has no types.
import { name } from "./old.cjs";
import older from "./older.cts";
const require = createRequire(import.meta.url);
export const embed = ${ensemble('name + older.eol.length + require("node:path").sep.length', "x.mul(2)")}`,
  });
  expect(await compiled(project)).toEqual({ found: [], models: ["embed_s11", "embed_s11_y"] });
});

test("import.meta describes the source file that reads it, including the configuration", async () => {
  const project = projectWith({
    "settings/name.txt": "embed",
    "settings/name.ts": `import { readFileSync } from "node:fs";
import { join } from "node:path";
export const name = readFileSync(new URL("name.txt", import.meta.url), "utf8");
if (join(import.meta.dirname, "name.ts") !== import.meta.filename) throw new Error(import.meta.filename);
`,
    "pipeline.config.ts": `import { name } from "./settings/name.ts";
export default { output: new URL(name, import.meta.url).pathname };
`,
    "pipeline.ts": `import { defineEnsemble, fp32 } from "tritype";
import { name } from "./settings/name.ts";
export const e = ${ensemble("name", "x.mul(2)")}`,
  });
  const { settings, compilation } = await compileProject(findProject(join(project.root, "settings")));
  expect(settings.output).toBe(project.path("embed"));
  expect(compilation.build?.manifest.ensembles[0]?.name).toBe("embed");
});

const stepOf = (run: string): string => `import { bytes, defineEnsemble, int32, json, step } from "tritype";
import { used } from "./used.ts";
const s = step({
  name: "s",
  inputs: { text: bytes("batch", 1) },
  outputs: { words: int32("batch", 1), j: json<{ n: number; must: string }>() },
  run: ({ text }) => (${run}),
});
export const e = defineEnsemble({ name: "e", maxBatchSize: 8, inputs: s.inputs, run: (x) => s(x) });
export const elsewhere: string = 3;
`;
const right = "{ words: used(text), j: { n: text.length, must: text } }";
const usedModule = "export const used = (text: string): number => text.length;\n";

test("a mistake is reported once: an async function, a step that is called, an output with another name", async () => {
  const project = projectWith({ "node_modules/.keep": "", "used.ts": usedModule });
  const withRun = (run: string): string => `import { bytes, defineEnsemble, json, step } from "tritype";
const upper = step({ name: "upper", inputs: { text: bytes("batch", 1) }, outputs: { text: bytes("batch", 1) }, run: (row) => row });
const s = step({
  name: "s",
  inputs: { text: bytes("batch", 1) },
  outputs: { j: json<string[]>() },
  run: ${run},
});
export const e = defineEnsemble({ name: "e", maxBatchSize: 8, inputs: s.inputs, run: (x) => s(upper(x)) });
`;
  for (const [run, expected] of [
    ["async ({ text }) => ({ j: [text] })", "function/async pipeline.ts:7:8"],
    [
      "({ text }) => {\n    const up = upper({ text });\n    return { j: [up.text.trim()] };\n  }",
      "function/captured pipeline.ts:8:16",
    ],
    ["({ text }) => ({ words: [text] })", "function/type-error pipeline.ts:7:22"],
  ] as const) {
    project.write("pipeline.ts", withRun(run));
    expect((await compiled(project)).found).toEqual([expected]);
  }
});

test("type errors of a step and of the code its function uses; results are kept until a file changes", async () => {
  const project = projectWith({
    "node_modules/.keep": "",
    "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, module: "NodeNext", noEmit: true } }),
    "pipeline.ts": stepOf("{ j: { n: text.length } }"),
    "used.ts": usedModule,
    "word.d.ts": "declare type Word = string;\n",
  });
  const kept = (): readonly string[] => readdirSync(project.path("node_modules/.cache/tritype"));
  expect((await compiled(project)).found).toEqual(["function/type-error pipeline.ts:7:25"]);
  expect(kept()).toHaveLength(1);
  expect((await compiled(project)).found).toEqual(["function/type-error pipeline.ts:7:25"]);
  project.write("pipeline.ts", stepOf(right));
  expect(await compiled(project)).toEqual({ found: [], models: ["e", "s"] });
  // The value comes from the module that the step uses, and is not visible in the step's own file.
  project.write("used.ts", 'export const used = (text: string): number => text + "";\n');
  expect((await compiled(project)).found).toEqual(["function/type-error used.ts:1:47"]);
  project.write("used.ts", usedModule);
  // The project's tsconfig.json treats an element as never missing. Only the translator considers a missing element.
  project.write("pipeline.ts", stepOf('{ words: [text.length][0], j: { n: 1, must: text.split(" ")[0] } }'));
  expect((await compiled(project)).found).toEqual([]);
  project.write(
    "tsconfig.json",
    JSON.stringify({
      compilerOptions: { strict: true, module: "NodeNext", noEmit: true, noUncheckedIndexedAccess: true },
    }),
  );
  expect((await compiled(project)).found).toEqual([
    "function/type-error pipeline.ts:7:25",
    "function/type-error pipeline.ts:7:61",
  ]);
  // The translator refuses the same expression, and its advice (`engine: "node"`) would not help here.
  project.write("pipeline.ts", stepOf('{ words: [text.length][0] / 2, j: { n: 1, must: "" } }'));
  expect((await compiled(project)).found).toEqual(["function/type-error pipeline.ts:7:32"]);
  expect(kept()).toHaveLength(1);
}, 120_000);

test("TypeScript's error is left out where ours says the same", async () => {
  const source = stepOf(right).replace("step({", 'step({ engine: "bun",');
  expect(source).toContain("bun");
  const project = projectWith({ "pipeline.ts": source, "used.ts": usedModule });
  expect((await compiled(project)).found).toEqual([expect.stringMatching(/^model\/bad-field /)]);
});

test("an unused definition is a warning", async () => {
  const project = projectWith({
    "pipeline.config.ts": 'export default { entries: ["pipeline.ts", "empty.ts", "sizes.ts"] };\n',
    "pipeline.ts": `import { defineEnsemble, fp32, python } from "tritype";
import { inner } from "./inner.ts";
const options = { file: "double.py", inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } } as const;
export const single = python({ name: "single", ...options });
export const used = python({ name: "used", ...options });
const own = python({ name: "own", ...options });
export const e = ${ensemble('"e"', "inner({ x: used({ x }).y }).y")}
void own;
`,
    "inner.ts": `import { defineEnsemble, flow, fp32 } from "tritype";
const types = { inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } };
export const unused = flow({ name: "unused", ...types, uses: {}, run: ({ x }) => Promise.resolve({ y: x }) });
export const inner = ${ensemble('"inner"', "x.mul(2)")}export const hidden = ${ensemble('"hidden"', "x.mul(3)")}`,
    "empty.ts": "const x = 1;\nvoid x;\n",
    "sizes.ts": "export const size = 4;\n",
    "double.py": "class TritonPythonModel: ...\n",
  });
  const { found, models } = await compiled(project);
  expect(found).toEqual([
    "project/entry-without-ensemble",
    "project/entry-without-ensemble",
    "project/unexported-ensemble inner.ts:3:23",
    "project/unexported-ensemble inner.ts:5:23",
    "project/unused-step pipeline.ts:4:23",
  ]);
  expect(models).toEqual(["e", "inner", "inner_y", "used"]);
});

test("a loop over a tensor ends with an error", async () => {
  const project = projectWith({
    "pipeline.ts": `import { defineEnsemble, fp32 } from "tritype";
export const e = defineEnsemble({ name: "e", inputs: { x: fp32(4) }, run({ x }) {
  let y = x.add(0);
  while (y.gt(0)) y = y.sub(1);
  return { y };
} });
`,
  });
  expect(await refusal(project)).toContain("`run` records more than 100000 steps and operators");
});
