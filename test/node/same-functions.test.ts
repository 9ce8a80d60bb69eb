import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileProject, findProject, writeBuild } from "@tritype/project";
import { serveTriton } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { serve } from "../cli/served-dev.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { installTime } from "../triton/judge.ts";
import { installNodeWheel, type NodeWheel } from "./node-wheel.ts";
import type { ReferenceRow } from "./reference.ts";
import { type Comparison, compareAnswers } from "./same-answers.ts";
import { sameProject, themes } from "./same-project.ts";

let project: ProjectFixture;
let wheel: NodeWheel;
/** The answers of the wheel's Node when it runs the sources, without any of our code. */
let reference: readonly ReferenceRow[];

beforeAll(async () => {
  wheel = await installNodeWheel();
  project = sameProject();
  const { compilation } = await compileProject(findProject(project.root));
  if (compilation.build === undefined) throw new Error(JSON.stringify(compilation.diagnostics, null, 1));
  writeBuild(join(project.root, "build"), compilation.build.tree);
  const script = fileURLToPath(new URL("reference.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(wheel.node, [script, project.root, ...themes], {
    maxBuffer: 1e8,
  });
  reference = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as ReferenceRow);
}, installTime);
afterAll(() => project?.remove());

test("the cases contain enough functions, rows and errors", () => {
  const functions = new Set(reference.map(({ theme, call }) => `${theme} ${call.name}`));
  expect(functions.size).toBe(227);
  expect(reference.length).toBe(2585);
  expect(reference.filter(({ outcome }) => "error" in outcome).length).toBe(507);
  // JSON cannot represent undefined, so nothing would be compared.
  expect(reference.filter(({ outcome }) => !("error" in outcome) && outcome.answer === undefined)).toEqual(
    [],
  );
});

const same = (comparison: Comparison): void => {
  expect(comparison.different).toEqual([]);
  expect(comparison).toMatchObject({ rows: 2585, requests: 848, errors: 554, columns: 28, names: 5 });
};

test.each(["", "--python"])("`pipeline dev %s` answers every row as Node does", async (flag) => {
  const served = await serve(project, ["build/model_repository", ...(flag === "" ? [] : [flag])], {
    node: wheel.node,
    env: { TRITYPE_PYTHON: wheel.installation.python },
  });
  same(await compareAnswers(served.url, reference));
});

test("the real Triton answers every row as Node does", async () => {
  const triton = await serveTriton(wheel.installation, {
    repository: join(project.root, "build/model_repository"),
  });
  onTestFinished(() => triton.stop());
  await triton.waitReady();
  same(await compareAnswers(triton.httpUrl, reference));
});
