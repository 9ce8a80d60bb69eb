import { afterAll, beforeAll, expect, test } from "vitest";
import { doubleModel } from "../fixtures/models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { pipeline } from "./run-pipeline.ts";
import { pipelineSource } from "./small-project.ts";

let project: ProjectFixture;
beforeAll(() => {
  project = makeProject({ "pipeline.ts": pipelineSource, "models/double.onnx": doubleModel() });
});
afterAll(() => project.remove());

test("trace prints every step with its time and its tensors, and nothing else to stdout", async () => {
  const { code, out } = await pipeline(project, ["trace", "total", "-i", "x=[1,2,3,4]"]);
  expect(code).toBe(0);
  const lines = out.split("\n");
  expect(lines.slice(0, 4).map((line) => line.split(/\s{2,}/)[line.startsWith(" ") ? 1 : 0])).toEqual([
    "total",
    "total",
    "double",
    "total_sum",
  ]);
  expect(lines.slice(5)).toEqual([
    "total",
    "  got  x FP32[1, 4]  [1, 2, 3, 4]",
    "  gave sum FP32[1, 1]  [20]",
    "",
    "double",
    "  got  x FP32[1, 4]  [1, 2, 3, 4]",
    "  gave y FP32[1, 4]  [2, 4, 6, 8]",
    "",
    "total_sum",
    "  got  y FP32[1, 4]  [2, 4, 6, 8]",
    "  gave sum FP32[1, 1]  [20]",
    "",
  ]);
});

test("trace prints a model of a repository as JSON", async () => {
  const { code, out } = await pipeline(project, [
    "trace",
    "double",
    "--repository",
    "build/model_repository",
    "--json",
    "-i",
    "x=[1,2,3,4]",
  ]);
  expect(code).toBe(0);
  const { calls } = JSON.parse(out) as { calls: readonly object[] };
  expect(calls).toMatchObject([{ model: "double", executions: [{ together: 1 }], failed: false }]);
});

test("a refused request is an error that names the command", async () => {
  const wrong = await pipeline(project, ["trace", "total", "-i", "x=[1,2]"]);
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain("input `x` of `total`, FP32[-1, 4]: got FP32[2]");
  const none = await pipeline(project, ["trace", "totl", "a text"]);
  expect(none.code).toBe(2);
  expect(none.err).toContain("pipeline trace total");
});
