import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { doubleModel, scaleModel } from "../fixtures/models.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { pipeline, pipelineProcess } from "./run-pipeline.ts";
import { pipelineSource, project } from "./small-project.ts";

const config = (versions: string): string =>
  `import { defineConfig } from "tritype";\nexport default defineConfig({ versions: ${versions} });\n`;

const appending = (versions = '"append"'): ProjectFixture =>
  project({ "pipeline.config.ts": config(versions) });

/** Builds with a different model; returns the command's output. */
const buildWith = async (small: ProjectFixture, factor: number, ...args: string[]): Promise<string> => {
  small.write("models/double.onnx", scaleModel(factor));
  const { code, err } = await pipeline(small, ["build", ...args]);
  expect([code, err]).toEqual([0, err]);
  return err;
};
const versions = (small: ProjectFixture, model = "double"): readonly string[] => [
  ...new Set(
    filesBelow(small.path(`build/model_repository/${model}`))
      .filter((file) => /^\d+\//.test(file))
      .map((file) => file.split("/")[0] ?? ""),
  ),
];
const content = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filesBelow(folder)
      .filter((file) => !file.startsWith("."))
      .map((file) => [file, readFileSync(join(folder, file), "base64")]),
  );

test("a changed model becomes a new version, which the command reports, and build --check agrees", async () => {
  const small = appending();
  await buildWith(small, 2);
  expect(await buildWith(small, 2)).toContain("nothing changed");
  const second = await buildWith(small, 3);
  expect(second).toMatch(
    /3 models, 2 files written, 17 unchanged \(\d+ ms\)\nappended version 2 of double\n$/,
  );
  expect(versions(small)).toEqual(["1", "2"]);
  expect(versions(small, "total_sum")).toEqual(["1"]);
  expect((await pipeline(small, ["build", "--check"])).err).toBe("up to date: build\n");

  small.write("models/double.onnx", scaleModel(4));
  const check = await pipeline(small, ["build", "--check"]);
  expect(check.code).toBe(1);
  expect(check.err).toContain("  missing  model_repository/double/3/model.onnx\n");
  expect(check.err).toContain("  stale    model_repository/double/1/model.onnx\n");
  expect(versions(small)).toEqual(["1", "2"]);

  expect(await buildWith(small, 4)).toContain("1 deleted");
  expect(versions(small)).toEqual(["2", "3"]);
  expect(existsSync(small.path("build/model_repository/double/1"))).toBe(false);
});

test.each([["fresh"], ["append"]])(
  "%s: an ensemble whose clients must change is reported",
  async (versions) => {
    const small = appending(JSON.stringify(versions));
    expect(await buildWith(small, 2)).not.toContain("clients");
    small.write("pipeline.ts", pipelineSource.replace("{ sum:", "{ total:"));
    expect(await buildWith(small, 2)).toContain(
      "note total: its clients must be updated: output `sum` is gone, output `total` FP32[batch, 1] is new\n",
    );
    expect(await buildWith(small, 2)).not.toContain("clients");
    small.write("pipeline.ts", pipelineSource.replace("onnx({", "onnx({ sequenceBatching: {},"));
    expect(await buildWith(small, 2)).toContain(", sequence IDs are new\n");
  },
);

test("the local runtime serves the newest version, or those that the policy selects", async () => {
  const small = appending("{ append: { keep: 5 } }");
  const run = async (): Promise<string> =>
    (await pipeline(small, ["run", "total", "-i", "x=[[1, 1, 1, 1]]"])).out;
  await buildWith(small, 2);
  expect(await run()).toContain("8");
  await buildWith(small, 3);
  expect(await run()).toContain("12");
  small.write(
    "pipeline.ts",
    pipelineSource
      .replace('name: "double",', 'name: "double", versionPolicy: { specific: { versions: [1] } },')
      .replace("double({ x })", "double.version(1)({ x })"),
  );
  expect(await run()).toContain("8");
  expect(versions(small)).toEqual(["1", "2"]);
});

test("--fresh replaces all versions with one", async () => {
  const small = appending();
  for (const factor of [2, 3, 4]) await buildWith(small, factor);
  expect(await buildWith(small, 4, "--fresh")).not.toContain("appended");
  expect(versions(small)).toEqual(["1"]);
  await buildWith(small, 5);
  expect(versions(small)).toEqual(["1", "2"]);
});

test("a changed signature is refused at the step's line, and nothing is written", async () => {
  const small = appending();
  await buildWith(small, 2);
  const before = content(small.path("build"));
  small.write("models/double.onnx", doubleModel(8));
  small.write("pipeline.ts", pipelineSource.replaceAll('("batch", 4)', '("batch", 8)'));
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(1);
  expect(err).toContain(
    "error[version/signature-changed]: `double` cannot be appended to the versions in the build folder: `x` is FP32[batch, 8], but FP32[batch, 4] in the old versions\n",
  );
  expect(err).toContain("┌─ pipeline.ts:3:16\n");
  expect(content(small.path("build"))).toEqual(before);
  expect((await pipeline(small, ["build", "--fresh"])).code).toBe(0);
  expect(versions(small)).toEqual(["1"]);
});

test("an old version deleted by hand is dropped; one edited by hand fails the build", async () => {
  const small = appending("{ append: { keep: 9 } }");
  for (const factor of [2, 3, 4]) await buildWith(small, factor);
  rmSync(small.path("build/model_repository/double/2"), { recursive: true });
  await buildWith(small, 5);
  expect(versions(small)).toEqual(["1", "3", "4"]);
  small.write("build/model_repository/double/3/model.onnx", "edited");
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(1);
  expect(err).toContain("version 3 of `double` in the build folder was modified");
  rmSync(small.path("build/model_repository/double/3"), { recursive: true });
  expect((await pipeline(small, ["build"])).code).toBe(0);
  expect(versions(small)).toEqual(["1", "4"]);
});

test("the build does not write into a version folder that it did not create", async () => {
  const small = appending();
  await buildWith(small, 2);
  small.write("build/model_repository/double/2/other.onnx", "mine");
  small.write("models/double.onnx", scaleModel(3));
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).toBe(2);
  expect(err).toContain("model_repository/double/2 already exists and was not written by a tritype build");
  expect(readFileSync(small.path("build/model_repository/double/2/other.onnx"), "utf8")).toBe("mine");
});

test.each(["renameSync:1:SIGKILL", "renameSync:2:SIGKILL", "renameSync:3:SIGKILL"])(
  "if a build is killed while it appends (%s), the next build appends the same version",
  async (fault) => {
    const small = appending();
    for (const factor of [2, 3]) await buildWith(small, factor);
    small.write("models/double.onnx", scaleModel(4));
    const killed = await pipelineProcess(small, ["build"], { fault });
    expect(killed.signal).toBe("SIGKILL");
    expect(await buildWith(small, 4)).toContain("appended version 3 of double");
    expect(versions(small)).toEqual(["2", "3"]);
    expect((await pipeline(small, ["build", "--check"])).err).toBe("up to date: build\n");
  },
);

test("parallel builds give each version its own number", async () => {
  const small = appending();
  await buildWith(small, 2);
  small.write("models/double.onnx", scaleModel(3));
  const ends = await Promise.all([1, 2, 3].map(() => pipeline(small, ["build"])));
  for (const { code, err } of ends) if (code !== 0) expect(err).toContain("another build wrote to");
  expect(ends.some(({ code }) => code === 0)).toBe(true);
  expect(versions(small)).toEqual(["1", "2"]);
  expect((await pipeline(small, ["build", "--check"])).code).toBe(0);
});

test.each([
  ["keep", "{ append: { keep: -1 } as never }", "`versions"],
  ["a word", '"always" as never', '`versions` must be "fresh", "append" or { append: { keep: 3 } }'],
])("an invalid setting is reported: %s", async (_, setting, message) => {
  const small = appending(setting);
  const { code, err } = await pipeline(small, ["build"]);
  expect(code).not.toBe(0);
  expect(err).toContain(message);
});
