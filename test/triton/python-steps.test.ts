import { join } from "node:path";
import { httpClient } from "@tritype/client";
import { tensorOf } from "@tritype/core";
import { writeBuild } from "@tritype/project";
import { serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { routedFiles } from "../fixtures/routed.ts";
import {
  missingOutputModel,
  missingOutputSource,
  wrongShapeModel,
  wrongShapeSource,
} from "../fixtures/wrong-shape.ts";
import { installTime, type Judged, judgeRepository } from "./judge.ts";
import { expectSameAnswers, outcome } from "./same-answers.ts";

let project: ProjectFixture;
let judged: Judged;
beforeAll(async () => {
  project = makeProject({
    ...routedFiles,
    "routed.ts": routedFiles["pipeline.ts"] ?? "",
    "scores.ts": wrongShapeSource,
    "steps/score.py": wrongShapeModel,
    "pairs.ts": missingOutputSource,
    "steps/pair.py": missingOutputModel,
    "pipeline.ts":
      'export * from "./routed.ts";\nexport * from "./scores.ts";\nexport * from "./pairs.ts";\n',
  });
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  expect(compilation.build?.manifest.models.find(({ name }) => name === "route")?.calls).toEqual([
    "double",
    "negated",
  ]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  judged = await judgeRepository(join(project.path("build"), "model_repository"));
}, installTime);
afterAll(async () => {
  await judged?.stop();
  project.remove();
});

const ask = (model: string, ...rows: readonly (readonly number[])[]) => ({
  model,
  inputs: new Map([["x", tensorOf("FP32", [rows.length, rows[0]?.length ?? 0], rows.flat())]]),
});
const triton = async (call: ReturnType<typeof ask>) => {
  const client = httpClient(judged.triton.httpUrl, { timeoutMs: 20_000 });
  const answer = await outcome(client, call);
  await client.close();
  return answer;
};

test("models in `uses` of a Python step are served, though no ensemble calls them", async () => {
  expect(judged.triton.problems()).toEqual([]);
  const doubled = ask("routed", [1, 2, 3, 4], [5, 6, 7, 8]);
  expect(await triton(doubled)).toEqual({
    y: tensorOf("FP32", [2, 4], [2, 4, 6, 8, 10, 12, 14, 16]),
  });
  await expectSameAnswers(judged, doubled);
  const negated = ask("routed", [1, -2, 3, 4]);
  expect(await triton(negated)).toEqual({ y: tensorOf("FP32", [1, 4], [-1, 2, -3, -4]) });
  await expectSameAnswers(judged, negated);
});

test("an answer that does not have its declared type is served, by an ensemble and by the step itself", async () => {
  for (const model of ["scores", "score"]) {
    const call = ask(model, [1, 2], [3, 4]);
    expect(await triton(call)).toEqual({ y: tensorOf("FP32", [1, 4], [1, 2, 1, 2]) });
    await expectSameAnswers(judged, call);
  }
});

test("an answer that lacks an output is served, by an ensemble and by the step itself", async () => {
  for (const model of ["pairs", "pair"]) {
    const call = ask(model, [1, -2]);
    expect(await triton(call)).toEqual({ y: tensorOf("FP32", [1, 2], [1, -2]) });
    await expectSameAnswers(judged, call);
  }
});

test("an element without a label is returned without one", async () => {
  const local = await serveHttp(judged.local, { port: 0 });
  onTestFinished(() => local.close());
  const body = JSON.stringify({
    inputs: [{ name: "x", datatype: "FP32", shape: [1, 4], data: [4, 3, 2, 1] }],
    outputs: [{ name: "y", parameters: { classification: 4 } }],
  });
  for (const url of [judged.triton.httpUrl, local.url]) {
    const response = await fetch(`${url}/v2/models/double/infer`, { method: "POST", body });
    expect(await response.json()).toMatchObject({
      outputs: [{ name: "y", data: ["8.000000:0:first", "6.000000:1", "4.000000:2", "2.000000:3"] }],
    });
  }
});
