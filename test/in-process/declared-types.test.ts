import { defineEnsemble, fp32, python } from "tritype";
import { PipelineError, startRuntime } from "tritype/runtime";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { missingOutputModel, wrongShapeModel } from "../fixtures/wrong-shape.ts";

const score = python({
  name: "score",
  file: "steps/score.py",
  inputs: { x: fp32("batch", 2) },
  outputs: { y: fp32("batch", 3) },
});
const scores = defineEnsemble({
  name: "scores",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 2) },
  run: ({ x }) => score({ x }),
});
const pair = python({
  name: "pair",
  file: "steps/pair.py",
  inputs: { x: fp32("batch", 2) },
  outputs: { y: fp32("batch", 2), z: fp32("batch", 2) },
});
const pairs = defineEnsemble({
  name: "pairs",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 2) },
  run: ({ x }) => pair({ x }),
});

let project: ProjectFixture;
const cwd = process.cwd();
beforeAll(async () => {
  vi.stubEnv("TRITYPE_PYTHON", await pythonWithNumpy());
  project = makeProject({
    "pipeline.ts": "",
    "steps/score.py": wrongShapeModel,
    "steps/pair.py": missingOutputModel,
  });
  process.chdir(project.root);
});
afterAll(() => {
  vi.unstubAllEnvs();
  process.chdir(cwd);
  project.remove();
});

const x = [
  [1, 2],
  [3, 4],
];

test("run refuses an answer that does not have its declared type, of an ensemble and of a step", async () => {
  await using runtime = await startRuntime({ ensembles: [scores] });
  for (const model of [scores, score, "scores", "score"] as const) {
    const name = typeof model === "string" ? model : model.name;
    const error: unknown = await runtime
      .run(model as typeof scores, { x })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PipelineError);
    expect(error).toMatchObject({
      code: "model/failed",
      reason: "model/wrong-answer",
      message: expect.stringContaining(
        `the answer of \`${name}\` does not have its type: \`y\` is declared as FP32[batch, 3], but is FP32[1, 4]\n  = help: \`score\` produces this output`,
      ),
    });
  }
});

test("run refuses an answer that lacks a declared output", async () => {
  await using runtime = await startRuntime({ ensembles: [pairs] });
  expect((await runtime.run(pairs, { x })).z.shape).toEqual([2, 2]);
  for (const model of [pairs, pair, "pair"] as const)
    await expect(runtime.run(model as typeof pairs, { x: [[-1, 2]] })).rejects.toMatchObject({
      reason: "model/wrong-answer",
      message: expect.stringContaining("`z` is declared as FP32[batch, 2], but is missing"),
    });
});
