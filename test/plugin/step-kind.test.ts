import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { judgeBuild, writeBuild } from "@tritype/project";
import { httpClient } from "@tritype/client";
import { type Diagnostic, type NamedTensors, tensorOf, valuesOf } from "@tritype/core";
import { startRuntime } from "@tritype/runtime";
import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";

const read = (file: string): string =>
  readFileSync(fileURLToPath(new URL(`project/${file}`, import.meta.url)), "utf8");
const files = ["pipeline.ts", "pipeline.config.ts", "shout-kind.ts"];

let project: ProjectFixture;
beforeAll(() => {
  project = makeProject(Object.fromEntries(files.map((file) => [file, read(file)])));
});
afterAll(() => project.remove());

const request: NamedTensors = new Map([["text", tensorOf("BYTES", [2, 1], ["hello", "straße"])]]);
const answer = ["HELLO!", "STRASSE!"];
const song = { old: answer, latest: ["HELLO!!", "STRASSE!!"] };
const shown = (outputs: NamedTensors): object =>
  Object.fromEntries([...outputs].map(([name, tensor]) => [name, valuesOf(tensor)]));

test("the step kind only imports public exports", () => {
  const imports = files.flatMap((file) =>
    [...read(file).matchAll(/from "([^"]+)"/g)].map(([, from]) => from ?? ""),
  );
  expect(
    imports.filter((from) => !from.startsWith("./") && from !== "tritype" && from !== "tritype/plugin"),
  ).toEqual([]);
});

/** Compiles the project with changed files. */
const compileWith = async (changed: Readonly<Record<string, string>>) => {
  const made = makeProject({ ...Object.fromEntries(files.map((file) => [file, read(file)])), ...changed });
  try {
    return await compileFixture(made);
  } finally {
    made.remove();
  }
};

test("its diagnostics point at the user's line", async () => {
  const quiet = read("pipeline.ts").replace('ending: "!"', 'ending: "."');
  const { compilation } = await compileWith({ "pipeline.ts": quiet });
  expect(compilation.diagnostics).toEqual([
    {
      code: "shout/too-quiet",
      severity: "error",
      message: '`loud` ends in "."',
      labels: [{ span: { file: "pipeline.ts", line: 4, column: 14 }, text: "said here" }],
      notes: [],
      help: 'end in at least one "!"',
    },
  ]);
});

test("its versions are checked one by one", async () => {
  const quiet = read("pipeline.ts").replace('2: { ending: "!!" }', '2: { ending: "…" }');
  const { compilation } = await compileWith({ "pipeline.ts": quiet });
  expect(compilation.diagnostics.map(({ message }) => message)).toEqual(['version 2: `chorus` ends in "…"']);
});

const definition = { span: { file: "pipeline.ts", line: 13, column: 16 }, text: "defined here" };

test("a version without files is reported with the kind, and not as a bug in tritype", async () => {
  const kind = read("shout-kind.ts").replace(
    'new Map([["model.py", textFile(modelPy(ending))]])',
    'new Map(ending === "!!" ? [] : [["model.py", textFile(modelPy(ending))]])',
  );
  const { diagnostics } = judgeBuild(await compileWith({ "shout-kind.ts": kind }));
  expect(diagnostics).toEqual([
    expect.objectContaining({
      code: "step/no-files",
      message: "`chorus` has no files for version 2, and Triton only finds versions that have a folder",
      labels: [definition],
      help: "name a file in the step's options, or return one in `files` from the step kind `shout`",
    }),
  ]);
});

/** The compiler's findings with a changed step kind. */
const findings = async (kind: string): Promise<readonly Diagnostic[]> =>
  (await compileWith({ "shout-kind.ts": kind })).compilation.diagnostics;

const listed = { span: { file: "pipeline.config.ts", line: 4, column: 43 }, text: "listed here" };

test.each([
  ["nothing", "return undefined as never;", "its `read` returned no list of `diagnostics`"],
  [
    "neither a value nor an error",
    "return { diagnostics: [] };",
    "its `read` returned neither an error nor a `value` with `model()`",
  ],
  [
    "a model without a backend",
    "return { diagnostics: [], value: { model: () => ({ files: new Map() }) as never } };",
    "its `model()` returned no `config` with a `backend`",
  ],
  [
    "a model without files",
    'return { diagnostics: [], value: { model: () => ({ config: { backend: "python" } }) as never } };',
    "its `model()` returned no map of `files`",
  ],
])(
  "a step kind that returns %s is reported with its positions, and not as a bug in tritype",
  async (_, code, problem) => {
    const kind = read("shout-kind.ts").replace(
      "read(step) {",
      `read(step) {\n    if (step.name === "chorus") ${code}`,
    );
    expect(await findings(kind)).toEqual([
      expect.objectContaining({
        code: "step/bad-kind",
        message: `the step kind \`shout\` cannot read \`chorus\`: ${problem}`,
        labels: [definition, listed],
      }),
    ]);
  },
);

test("an exception in a step kind is reported at its position", async () => {
  const kind = read("shout-kind.ts").replace(
    "read(step) {",
    'read(step) {\n    if (step.name === "chorus") throw new TypeError("no ending");',
  );
  expect(await findings(kind)).toEqual([
    expect.objectContaining({
      message: "the step kind `shout` cannot read `chorus`: it threw TypeError: no ending",
      labels: [
        { span: { file: "shout-kind.ts", line: 47, column: 39 }, text: "thrown here" },
        definition,
        listed,
      ],
    }),
  ]);
});

test.each([["0"], ["1.5"], ['"2"']])("an invalid version number (%s) is reported", async (number) => {
  const kind = read("shout-kind.ts").replace(
    "...emitVersions(versions, (ending) => ({ files: filesOf(ending) })),",
    `files: new Map(), versions: new Map([[${number}, { files: filesOf("!") }]]) as never,`,
  );
  const diagnostics = await findings(kind);
  expect(diagnostics.map(({ message }) => message)).toEqual(
    ["loud", "chorus"].map(
      (step) =>
        `the step kind \`shout\` cannot read \`${step}\`: its \`model()\` returned the version ${number}; a version must be a whole number of at least 1`,
    ),
  );
});

test("its output runs locally and on a real Triton", async () => {
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  const repository = project.path("build/model_repository");
  const runtime = await startRuntime({
    repository,
    device: "cpu",
    python: "twin",
    notice: () => undefined,
    pythonCommand: await pythonWithNumpy(),
  });
  const sung = await runtime.infer({ model: "sing", id: "", inputs: request });
  const local = await runtime
    .infer({ model: "announce", id: "", inputs: request })
    .finally(() => runtime.close());
  expect(shown(sung.outputs)).toEqual(song);
  expect([...local.outputs].map(([name, tensor]) => [name, valuesOf(tensor)])).toEqual([
    ["announcement", answer],
  ]);

  const installation = await installTriton({ cache: cacheFolder(process.env), notice: () => undefined });
  const server = await serveTriton(installation, { repository });
  try {
    await server.waitReady();
    const client = httpClient(server.httpUrl);
    const outputs = await client.infer({ model: "announce", inputs: request });
    expect([...outputs].map(([name, tensor]) => [name, valuesOf(tensor)])).toEqual([
      ["announcement", answer],
    ]);
    expect(shown(await client.infer({ model: "sing", inputs: request }))).toEqual(song);
    await client.close();
  } finally {
    await server.stop();
  }
}, 300_000);
