import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { detectorModel, detectorPipeline, refinerModel } from "../fixtures/detector.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { pipeline } from "./run-pipeline.ts";

let project: ProjectFixture;
beforeAll(async () => {
  project = makeProject({
    "pipeline.ts": detectorPipeline,
    "pipeline.config.ts": 'import { defineConfig } from "tritype";\nexport default defineConfig({});\n',
    "models/detect.onnx": detectorModel(),
    "models/refine.onnx": refinerModel(),
  });
  expect((await pipeline(project, ["build"])).code).toBe(0);
});
afterAll(() => project.remove());

const configOf = (model: string): string =>
  readFileSync(project.path(`build/model_repository/${model}/config.pbtxt`), "utf8");

test("a batched model is warmed up with as many rows as it gets from a sample, and a second build keeps that", async () => {
  const batches = (model: string) => [...configOf(model).matchAll(/ batch_size: (\d+)/g)].map(([, n]) => n);
  expect([batches("detect"), batches("refine"), batches("several_to_refine")]).toEqual([
    ["3", "1", "3"],
    ["3", "3"],
    ["1"],
  ]);
  expect(await pipeline(project, ["build", "--check"])).toMatchObject({ code: 0 });
  expect((await pipeline(project, ["build"])).err).toContain("nothing changed");
});

test("math around a batched model stays a model of its own if an ensemble without batching calls it", async () => {
  const { out } = await pipeline(project, ["build", "--explain"]);
  expect(out).toContain(
    "single_best  not part of another model: an ensemble without batching calls `detect`",
  );
});

test("generated requests have few rows if a batched model accepts few", async () => {
  const outer = await pipeline(project, [
    "bench",
    "outer",
    "--seconds",
    "0.3",
    "--warm",
    "0",
    "--clients",
    "1",
  ]);
  expect([outer.code, outer.err]).toEqual([0, expect.stringContaining("generated from the types")]);
});

test("samples are rebuilt from a build with all of their rows", async () => {
  const { code, out } = await pipeline(project, ["drift", "build", "build"]);
  expect(out).toContain("three: 1 row in 1 request");
  expect(code).toBe(0);
});

test("a plan counts the rows that a request has for a batched model", async () => {
  const demand = ["--rate", "1/s", "--p99", "10s"];
  const { code, out } = await pipeline(project, ["plan", "three", ...demand, "--seconds", "0.01"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^detect +1 +\d+ % +3\.00 /m);
  expect(out).toMatch(/^three_to_refine +1 +\d+ % +1\.00 /m);
});
