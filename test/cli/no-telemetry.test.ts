import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { pipeline, pipelineProcess } from "./run-pipeline.ts";
import { project } from "./small-project.ts";

/** ONNX Runtime suppresses its telemetry in CI and in unit tests of its own. */
const asUsers = { CI: "", ORT_RUNNING_UNIT_TESTS: "", ORT_DISABLE_TELEMETRY: "" };

test.each([
  ["run", ["run", "total", "--input", "x=[[1,2,3,4]]"]],
  ["bench", ["bench", "total", "--seconds", "0.1", "--warm", "0", "--clients", "1"]],
])("`%s` leaves no files of ONNX Runtime's telemetry behind", async (_, args) => {
  const made = project();
  const [home, temporary] = [made.path("home"), made.path("temporary")];
  for (const folder of [home, temporary]) mkdirSync(folder);
  const env = { ...asUsers, HOME: home, XDG_CACHE_HOME: "", TMPDIR: temporary };
  const { code, err } = await pipelineProcess(made, args, { env });
  expect([code, err]).toEqual([0, expect.any(String)]);
  expect([readdirSync(home), readdirSync(temporary)]).toEqual([[], []]);
});

test("neither does a program that starts the runtime", async () => {
  const made = project({
    "serve.mjs": `import { startRuntime } from "tritype/runtime";
const runtime = await startRuntime({ repository: "build/model_repository" });
await runtime.close();
`,
    "home/.keep": "",
    "temporary/.keep": "",
  });
  await pipeline(made, ["build"]);
  execFileSync(process.execPath, ["serve.mjs"], {
    cwd: made.root,
    env: { ...process.env, ...asUsers, HOME: made.path("home"), TMPDIR: made.path("temporary") },
  });
  expect(["home", "temporary"].map((folder) => readdirSync(made.path(folder)))).toEqual([
    [".keep"],
    [".keep"],
  ]);
});
