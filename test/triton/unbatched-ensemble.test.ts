import { join } from "node:path";
import { httpClient } from "@tritype/client";
import { type TensorData, tensorOf } from "@tritype/core";
import { writeBuild } from "@tritype/project";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  addModel,
  binaryModel,
  type ConfigText,
  ensembleFiles,
  fp32,
  identityModel,
  onnxFiles,
} from "../../packages/runtime/src/fixtures/onnx-models.ts";
import { type Files, writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { detectorModel, detectorPipeline, refinerModel } from "../fixtures/detector.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installTime, type Judged, judgeRepository } from "./judge.ts";
import { expectSameAnswers, outcome } from "./same-answers.ts";

const text = (name: string, ...dims: readonly number[]) => ({ name, dtype: "BYTES", dims }) as const;
const io = (input: readonly number[], output: readonly number[]): ConfigText => ({
  inputs: [fp32("IN", ...input)],
  outputs: [fp32("OUT", ...output)],
});
const row = { maxBatchSize: 4, inputs: [fp32("X", 2)], outputs: [fp32("Y", 2)] };
const scalar = (name: string) => ({ ...fp32(name, 1), extra: "reshape { shape: [ ] }" });

/** An ensemble that calls another one. */
const nested = (name: string, maxBatchSize: number, called: string, ...dims: readonly number[]): Files => {
  const files = ensembleFiles(name, { maxBatchSize, ...io(dims, dims) }, `${called}: X=IN OUT=OUT`);
  return { ...files, [`${name}/config.pbtxt`]: String(files[`${name}/config.pbtxt`]).replace('"X"', '"IN"') };
};

/** Batched models, and ensembles without batching that call them. */
const files: Files = {
  ...onnxFiles("rows", addModel(1, "batch", 2), row),
  ...onnxFiles("sum", binaryModel("Add", "batch", 2), {
    maxBatchSize: 4,
    inputs: [fp32("A", 2), fp32("B", 2)],
    outputs: [fp32("C", 2)],
  }),
  ...onnxFiles("scalar", addModel(1, "batch"), {
    maxBatchSize: 4,
    inputs: [scalar("X")],
    outputs: [scalar("Y")],
  }),
  ...onnxFiles("strings", identityModel("BYTES", "batch", 1), {
    maxBatchSize: 4,
    inputs: [text("X", 1)],
    outputs: [text("Y", 1)],
  }),
  ...onnxFiles("plain", addModel(10, "n", 2), { inputs: [fp32("X", -1, 2)], outputs: [fp32("Y", -1, 2)] }),
  ...ensembleFiles("open", io([-1, 2], [-1, 2]), "rows: X=IN Y=OUT"),
  ...ensembleFiles("exactly_three", io([3, 2], [3, 2]), "rows: X=IN Y=OUT"),
  ...ensembleFiles("exactly_five", io([5, 2], [5, 2]), "rows: X=IN Y=OUT"),
  ...ensembleFiles("open_to_one", io([-1, 2], [1, 2]), "rows: X=IN Y=OUT"),
  ...ensembleFiles("open_to_three", io([-1, 2], [3, 2]), "rows: X=IN Y=OUT"),
  ...ensembleFiles("no_rows", io([2], [2]), "rows: X=IN Y=OUT"),
  ...ensembleFiles(
    "pair",
    { inputs: [fp32("A", -1, 2), fp32("B", -1, 2)], outputs: [fp32("OUT", -1, 2)] },
    "sum: A=A B=B C=OUT",
  ),
  ...ensembleFiles("chain", io([-1, 2], [-1, 2]), "rows: X=IN Y=a", "plain: X=a Y=b", "rows: X=b Y=OUT"),
  ...ensembleFiles("flat", io([-1], [-1]), "scalar: X=IN Y=OUT"),
  ...ensembleFiles("column", io([-1, 1], [-1, 1]), "scalar: X=IN Y=OUT"),
  ...ensembleFiles(
    "lines",
    { inputs: [text("IN", -1, 1)], outputs: [text("OUT", -1, 1)] },
    "strings: X=IN Y=OUT",
  ),
  ...ensembleFiles("inner", { maxBatchSize: 3, ...io([2], [2]) }, "rows: X=IN Y=OUT"),
  ...nested("around", 0, "inner", -1, 2),
  ...nested("twice", 0, "open", -1, 2),
  ...nested("batched", 4, "open", 2),
};

let project: ProjectFixture;
let judged: Judged;
beforeAll(async () => {
  project = makeProject({
    "pipeline.ts": detectorPipeline,
    "models/detect.onnx": detectorModel(),
    "models/refine.onnx": refinerModel(),
  });
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  const repository = join(project.path("build"), "model_repository");
  writeFiles(repository, files);
  judged = await judgeRepository(repository);
}, installTime);
afterAll(async () => {
  await judged?.stop();
  project.remove();
});

const numbers = (...shape: readonly number[]): TensorData =>
  tensorOf(
    "FP32",
    shape,
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i % 97),
  );
const strings = (...shape: readonly number[]): TensorData =>
  tensorOf(
    "BYTES",
    shape,
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => `line ${i}`),
  );

/** The shapes of the outputs in the order of their names, or the reason for a refusal. */
const ask = async (model: string, inputs: Readonly<Record<string, TensorData>>): Promise<string> => {
  const call = { model, inputs: new Map(Object.entries(inputs)), outputs: [] };
  return show(await outcome(httpClient(judged.triton.httpUrl, { timeoutMs: 20_000 }), call));
};
const show = (made: Awaited<ReturnType<typeof outcome>>): string =>
  Object.entries(made)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, one]) =>
      typeof one === "string"
        ? one.replace(/^.*\[request id: <id_unknown>\] |\. (NOTE.*)?$/gs, "")
        : `[${one.shape.join()}]`,
    )
    .join(" ");

test("Triton loads the models without a problem", () => {
  expect(judged.triton.problems()).toEqual([]);
});

const tooMany = "inference request batch-size must be <= 4 for 'rows'";
const empty = "input byte size mismatch for input 'X' for model 'rows'. Expected 8, got 0";

describe("the rows of a tensor are the batch of a batched step: Triton and the local runtime", () => {
  test.each<[string, ...(readonly (readonly [TensorData, string])[])]>([
    [
      "open",
      [numbers(1, 2), "[1,2]"],
      [numbers(4, 2), "[4,2]"],
      [numbers(5, 2), tooMany],
      [numbers(0, 2), empty],
    ],
    ["exactly_three", [numbers(3, 2), "[3,2]"]],
    // It loads, and no request can be answered.
    ["exactly_five", [numbers(5, 2), tooMany]],
    // The declared size of an output is not checked, but decides whether a batch of 1 is removed.
    ["open_to_one", [numbers(1, 2), "[1,2]"], [numbers(3, 2), "[3,2]"]],
    ["open_to_three", [numbers(1, 2), "[2]"], [numbers(2, 2), "[2,2]"], [numbers(3, 2), "[3,2]"]],
    // The same rank as a row: Triton adds a batch of 1 and removes it.
    ["no_rows", [numbers(2), "[2]"]],
    ["chain", [numbers(1, 2), "[1,2]"], [numbers(3, 2), "[3,2]"], [numbers(5, 2), tooMany]],
    [
      "flat",
      [numbers(1), "[1]"],
      [numbers(2), "unexpected shape for input 'X' for model 'scalar'. Expected [-1,1], got [2]"],
    ],
    ["column", [numbers(1, 1), "[1,1]"], [numbers(3, 1), "[3,1]"]],
    [
      "lines",
      [strings(1, 1), "[1,1]"],
      [strings(4, 1), "[4,1]"],
      [strings(5, 1), "inference request batch-size must be <= 4 for 'strings'"],
      [strings(0, 1), "expected 1 string elements for inference input 'X' for model 'strings', got 0"],
    ],
    [
      "around",
      [numbers(3, 2), "[3,2]"],
      [numbers(4, 2), "inference request batch-size must be <= 3 for 'inner'"],
    ],
    ["twice", [numbers(1, 2), "[1,2]"], [numbers(4, 2), "[4,2]"], [numbers(5, 2), tooMany]],
    [
      "batched",
      [numbers(1, 2), "[1,2]"],
      [numbers(4, 2), "[4,2]"],
      [numbers(5, 2), "inference request batch-size must be <= 4 for 'batched'"],
    ],
  ])("%s", async (model, ...requests) => {
    for (const [tensor, answer] of requests) {
      expect(await ask(model, { IN: tensor })).toBe(answer);
      await expectSameAnswers(judged, { model, inputs: new Map([["IN", tensor]]) });
    }
  });

  test("all inputs of a step need the same number of rows", async () => {
    expect(await ask("pair", { A: numbers(3, 2), B: numbers(3, 2) })).toBe("[3,2]");
    const inputs = { A: numbers(1, 2), B: numbers(3, 2) };
    // The order of a step's inputs, and so the name in the message, changes from one start of Triton to the next.
    const refusal = /^input '[AB]' batch size does not match other inputs for 'sum'$/;
    expect(await ask("pair", inputs)).toMatch(refusal);
    const call = { model: "pair", inputs: new Map(Object.entries(inputs)), outputs: [] };
    expect(show(await outcome(judged.local, call))).toMatch(refusal);
  });
});

describe("what the compiler writes for such ensembles", () => {
  test.each<[string, Readonly<Record<string, TensorData>>, string]>([
    ["single", { image: numbers(1, 3, 8, 8) }, "[1,12] [1,12,16]"],
    [
      "single",
      { image: numbers(2, 3, 8, 8) },
      "unexpected shape for input 'image' for model 'single'. Expected [1,3,8,8], got [2,3,8,8]",
    ],
    ["several", { image: numbers(1, 3, 8, 8), shift: numbers(1, 1, 16) }, "[1,12,16] [1]"],
    ["several", { image: numbers(3, 3, 8, 8), shift: numbers(3, 1, 16) }, "[3,12,16] [3]"],
    [
      "several",
      { image: numbers(4, 3, 8, 8), shift: numbers(4, 1, 16) },
      "inference request batch-size must be <= 3 for 'refine'",
    ],
    ["three", { image: numbers(3, 3, 8, 8), shift: numbers(3, 1, 16) }, "[3,12,16]"],
    ["outer", { image: numbers(2, 3, 8, 8) }, "[2,12,16]"],
    ["outermost", { image: numbers(1, 3, 8, 8) }, "[1,12,16]"],
    ["outermost", { image: numbers(3, 3, 8, 8) }, "inference request batch-size must be <= 2 for 'found'"],
    ["texts", { text: strings(3, 1) }, "[3,1]"],
    ["texts", { text: strings(5, 1) }, "inference request batch-size must be <= 4 for 'shout'"],
  ])("%s, case %#", async (model, inputs, answer) => {
    expect(await ask(model, inputs)).toBe(answer);
    await expectSameAnswers(judged, { model, inputs: new Map(Object.entries(inputs)) });
  });
});
