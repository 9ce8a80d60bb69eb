import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileProject, findProject } from "@tritype/project";
import { fileBytes } from "@tritype/compiler";
import { invariant } from "@tritype/core";
import { expect, onTestFinished, test } from "vitest";
import {
  type Answer,
  analyseFiles,
  type Question,
} from "../../packages/project/src/analyse/analyse-files.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { pipeline, pipelineProcess } from "./run-pipeline.ts";
import { stubPackage } from "./stub-package.ts";

const files = {
  "node_modules/.keep": "",
  "node_modules/units/package.json": '{ "name": "units", "version": "1.0.0", "types": "index.d.ts" }\n',
  "node_modules/units/index.d.ts": "export type Unit = number;\n",
  "pipeline.config.ts": "export default {};\n",
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "module": "NodeNext", "allowImportingTsExtensions": true, "noEmit": true } }\n',
  "pipeline.ts": 'export * from "./a.ts";\nexport * from "./b.ts";\n',
  "a.ts": `import type { Unit } from "units";
import { used } from "./barrel.ts";
import { bytes, defineEnsemble, int32, step } from "tritype";
const one: Unit = 1;
const a = step({
  name: "a",
  inputs: { text: bytes("batch", 1) },
  outputs: { n: int32("batch", 1) },
  run: ({ text }) => ({ n: used(text) + one }),
});
export const in_a = defineEnsemble({ name: "in_a", maxBatchSize: 8, inputs: a.inputs, run: (x) => a(x) });
`,
  "b.ts": `import { bytes, defineEnsemble, int32, step } from "tritype";
import { own } from "./own.ts";
const b = step({
  name: "b",
  inputs: { text: bytes("batch", 1) },
  outputs: { n: int32("batch", 1) },
  run: ({ text }) => ({ n: own(text) }),
});
export const in_b = defineEnsemble({ name: "in_b", maxBatchSize: 8, inputs: b.inputs, run: (x) => b(x) });
`,
  "barrel.ts": 'export * from "./used.ts";\n',
  "used.ts": "export const used = (text: string): number => text.length;\n",
  "own.ts": "export const own = (text: string): number => text.length + 1;\n",
};

const made = (files: Readonly<Record<string, string>>): ProjectFixture => {
  const project = makeProject(files);
  onTestFinished(() => project.remove());
  return project;
};

/** A project that is not built. */
const makeFiles = (changed: Readonly<Record<string, string>> = {}): ProjectFixture =>
  made({ ...stubPackage, ...files, ...changed });

/** A question about the functions of a.ts and b.ts. */
const questionOf = ({ root }: ProjectFixture): Question => ({
  requests: ["a", "b"].map((step) => {
    const lines = readFileSync(join(root, `${step}.ts`), "utf8").split("\n");
    const line = lines.findIndex((text) => text.includes("= step({")) + 1;
    return {
      at: { file: `${step}.ts`, line, column: 11 },
      options: { step, reserved: [], needs: [], per: "row", json: { inputs: [], outputs: [] } },
    };
  }),
  deciding: [],
});

const analysed = (project: ProjectFixture): Promise<Answer> =>
  analyseFiles(project.root, questionOf(project));
const asked = async (project: ProjectFixture): Promise<readonly string[]> => (await analysed(project)).asked;

/** The results without a cache. */
const afresh = async (project: ProjectFixture): Promise<Omit<Answer, "asked" | "files" | "steps">> => {
  const folder = project.path("node_modules/.cache");
  cpSync(folder, `${folder}-away`, { recursive: true });
  rmSync(folder, { recursive: true });
  const { asked: all, files: _, steps: _steps, ...answer } = await analysed(project);
  expect(all).toEqual(["a.ts", "b.ts"]);
  rmSync(folder, { recursive: true });
  cpSync(`${folder}-away`, folder, { recursive: true });
  rmSync(`${folder}-away`, { recursive: true });
  return answer;
};

const cacheFile = (project: ProjectFixture): string => {
  const folder = project.path("node_modules/.cache/tritype");
  const [file, ...others] = readdirSync(folder).filter((name) => name.startsWith("analysis-"));
  invariant(file !== undefined && others.length === 0, "one file for a project");
  return join(folder, file);
};

test("only files affected by a change are read, and the results are the same as if all were read", async () => {
  const project = makeFiles();
  expect(await asked(project)).toEqual(["a.ts", "b.ts"]);
  expect(await asked(project)).toEqual([]);
  const changes: readonly (readonly [file: string, text: string, asked: readonly string[]])[] = [
    ["own.ts", "export const own = (text: string): number => text.length + 2;\n", ["b.ts"]],
    ["used.ts", "export const used = (text: string): number => text.trim().length;\n", ["a.ts"]],
    ["barrel.ts", 'export { own as used } from "./own.ts";\n', ["a.ts"]],
    ["own.ts", 'export const own = (text: string): number => text.length + "3";\n', ["a.ts", "b.ts"]],
    ["own.ts", "export const own = (text: string): number => text.length + 3;\n", ["a.ts", "b.ts"]],
    ["a.ts", files["a.ts"].replace("used(text)", "used(text) * 2"), ["a.ts"]],
    ["elsewhere.ts", "export const elsewhere = 1;\n", []],
  ];
  for (const [file, text, wanted] of changes) {
    project.write(file, text);
    const { asked: found, files: _, steps: _steps, ...answer } = await analysed(project);
    expect(found, `after a change of ${file}`).toEqual(wanted);
    expect(answer).toEqual(await afresh(project));
    expect(await asked(project)).toEqual([]);
  }
});

test("a change to a global declaration affects all files", async () => {
  const project = made({
    ...files,
    "globals.ts": "export {};\ndeclare global {\n  type Count = number;\n}\n",
  });
  await analysed(project);
  const all = ["a.ts", "b.ts"];
  const changes: readonly (readonly [file: string, text: string])[] = [
    // Declared in a file that only a.ts imports, but visible in both.
    ["a.ts", `import "./globals.ts";\n${files["a.ts"]}`],
    ["globals.ts", "export {};\ndeclare global {\n  type Count = bigint;\n}\n"],
    ["globals.ts", "export {};\ndeclare global {\n  interface Array<T> {\n    odd: T;\n  }\n}\n"],
    ["a.ts", files["a.ts"]],
    ["node_modules/units/index.d.ts", "export type Unit = 1;\n"],
    [
      "tsconfig.json",
      files["tsconfig.json"].replace('"strict": true', '"strict": true, "lib": ["es2023", "dom"]'),
    ],
    ["node_modules/@types/odd/index.d.ts", "declare const odd: number;\n"],
    ["barrel.ts", `/// <reference path="odd.d.ts" />\n${files["barrel.ts"]}`],
  ];
  for (const [file, text] of changes) {
    project.write(file, text);
    const { asked: found, files: _, steps: _steps, ...answer } = await analysed(project);
    expect(found, `after a change of ${file}`).toEqual(all);
    expect(answer).toEqual(await afresh(project));
  }
});

test("a script with global declarations affects all files although only one imports it", async () => {
  const script = (type: string): string => `declare type Shared = ${type};\n`;
  const project = makeFiles({
    "script.ts": script("number"),
    "a.ts": `import "./script.ts";\n${files["a.ts"]}`,
    "own.ts": "export const own = (text: string): number => { const n: Shared = text.length; return n; };\n",
  });
  expect((await analysed(project)).typeErrors).toEqual([]);
  project.write("script.ts", script("string"));
  expect((await analysed(project)).typeErrors).toMatchObject([
    { at: { file: "own.ts", line: 1 }, code: "TS2322" },
    {},
  ]);
  // It is no longer imported.
  project.write("a.ts", files["a.ts"]);
  expect((await analysed(project)).typeErrors).toMatchObject([{ at: { file: "own.ts" }, code: "TS2304" }]);
});

test("a damaged, foreign or unwritable cache is ignored", async () => {
  const project = makeFiles();
  const first = await analysed(project);
  const path = cacheFile(project);
  const whole = readFileSync(path, "utf8");
  const damaged = [
    "",
    whole.slice(0, 40),
    whole.slice(0, -1),
    whole.slice(0, whole.length / 2),
    whole.replace("text.length + 1", "text.length + 7"),
    `x${whole.slice(1)}`,
  ];
  for (const text of damaged) {
    expect(text).not.toBe(whole);
    writeFileSync(path, text);
    expect(await analysed(project)).toEqual(first);
    expect(readFileSync(path, "utf8")).toBe(whole);
  }
  rmSync(project.path("node_modules/.cache"), { recursive: true });
  project.write("node_modules/.cache", "a file where the folder would be");
  expect(await analysed(project)).toEqual(first);
});

test("a build from the cache has the same bytes as one without, even after two parallel builds", async () => {
  const project = made(files);
  const build = async (): Promise<Record<string, string>> => {
    const { compilation } = await compileProject(findProject(project.root));
    invariant(compilation.build !== undefined, JSON.stringify(compilation.diagnostics));
    return Object.fromEntries(
      [...compilation.build.tree].map(([path, file]) => [
        path,
        Buffer.from(fileBytes(file)).toString("latin1"),
      ]),
    );
  };
  const cold = await build();
  expect(await build()).toEqual(cold);
  rmSync(project.path("node_modules/.cache"), { recursive: true });
  const runs = await Promise.all([1, 2].map(() => pipelineProcess(project, ["build"])));
  expect(runs.map(({ code }) => code)).toEqual([0, 0]);
  expect(readFileSync(cacheFile(project), "utf8")).toContain("text.length");
  expect(await build()).toEqual(cold);
  project.write("own.ts", "export const own = (text: string): number => text.length + 2;\n");
  const changed = await build();
  expect(changed).not.toEqual(cold);
  project.write("own.ts", files["own.ts"]);
  expect(await build()).toEqual(cold);
});

const model = (path: string): string => `import triton_python_backend_utils as pb_utils

WEIGHTS = "${path}"


class TritonPythonModel:
    def execute(self, requests):
        return [self.answer(pb_utils.get_input_tensor_by_name(request, "x").as_numpy()) for request in requests]

    def answer(self, x):
        return pb_utils.InferenceResponse([pb_utils.Tensor("y", x)])
`;

test("findings about a model are reported in every build; only models without findings are cached", async () => {
  const project = made({
    "node_modules/.keep": "",
    "pipeline.config.ts": "export default {};\n",
    "one.py": model("weights.bin"),
    "two.py": model("/home/anna/weights.bin"),
    "pipeline.ts": `import { defineEnsemble, fp32, python } from "tritype";
const x = fp32("batch", 4);
const made = (name: string) => python({ name, file: name + ".py", inputs: { x }, outputs: { y: x } });
const [one, two] = [made("one"), made("two")];
export const e = defineEnsemble({ name: "e", maxBatchSize: 8, inputs: { x }, run: ({ x }) => ({ a: one({ x }).y, b: two({ x }).y }) });
`,
  });
  const found = async (): Promise<readonly string[]> => {
    const { code, err } = await pipeline(project, ["build"]);
    expect(code, err).toBe(0);
    return [...err.matchAll(/python\/machine-path\]: `1\/model.py` of `(\w+)`/g)].map(
      ([, name = ""]) => name,
    );
  };
  const remembered = (): number => {
    const folder = project.path("node_modules/.cache/tritype");
    const file = readdirSync(folder).find((name) => name.startsWith("checks-"));
    const [, content = "[]"] = readFileSync(join(folder, file ?? ""), "utf8").split("\n");
    return (JSON.parse(content) as readonly string[]).length;
  };
  expect(await found()).toEqual(["two"]);
  expect(remembered()).toBe(2);
  expect(await found()).toEqual(["two"]);
  project.write("one.py", model("/home/anna/weights.bin"));
  expect(await found()).toEqual(["one", "two"]);
  expect(remembered()).toBe(1);
  project.write("one.py", model("weights.bin"));
  project.write("two.py", model("weights.bin"));
  expect(await found()).toEqual([]);
  expect(remembered()).toBe(3);
});
