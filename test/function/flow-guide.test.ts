import { join } from "node:path";
import { valuesOf } from "@tritype/core";
import type { Manifest } from "@tritype/manifest";
import { writeBuild } from "@tritype/project";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { guideCases, guideProject, servePrices } from "./flow-guide.ts";

let project: ProjectFixture;
let manifest: Manifest | undefined;
let runtime: Runtime;
let stopPrices: () => void;
const notices: string[] = [];

beforeAll(async () => {
  stopPrices = await servePrices();
  project = makeProject(guideProject());
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  manifest = compilation.build?.manifest;
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  runtime = await startRuntime({
    repository: join(project.path("build"), "model_repository"),
    device: "cpu",
    python: "twin",
    notice: (line) => void notices.push(line),
  });
});
afterAll(async () => {
  await runtime?.close();
  stopPrices();
  project.remove();
});

test.each(guideCases)("%s of docs/flows.md, case %#", async (model, inputs, expected) => {
  const asked = runtime.infer({ model, id: "", inputs: new Map(Object.entries(inputs)) });
  if (typeof expected === "string") {
    await expect(asked).rejects.toThrow(expected);
    return;
  }
  const { outputs } = await asked;
  expect(Object.fromEntries([...outputs].map(([name, tensor]) => [name, valuesOf(tensor)]))).toEqual(
    expected,
  );
});

test("a flow's sample warms up the models that it calls, with different sizes", () => {
  const requests = manifest?.warmup?.requests ?? [];
  expect(requests.map(({ model, ensemble, sample }) => [model, ensemble, sample])).toEqual([
    ["detect_boxes", "find_things", "two_things"],
    ["recognize", "find_things", "two_things"],
    ["recognize", "find_things", "two_things"],
  ]);
  expect(requests.flatMap(({ inputs }) => Object.values(inputs).map(({ dims }) => dims))).toEqual([
    [1, 6],
    [1, 2],
    [1, 1],
  ]);
});

test("the calls of each variant are counted", () => {
  const counted = runtime
    .statistics()
    .flatMap(({ name, inference_stats: { success } }) =>
      name.startsWith("rank_") ? [[name, success.count]] : [],
    );
  expect(Object.fromEntries(counted)).toEqual({ rank_current: 3, rank_candidate: 1 });
});

test("what a flow prints reaches the log", () => {
  expect(notices.join("\n")).toMatch(/Error: large is late/);
});
