import { buildModel } from "@tritype/onnx";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compileFixture, type ProjectFixture } from "../fixtures/project.ts";
import { diagnosticsProject } from "./diagnostics-project.ts";

let project: ProjectFixture;
beforeAll(() => {
  project = diagnosticsProject();
});
afterAll(() => project.remove());

const compile = async (pipeline: string) => {
  project.write(
    "pipeline.config.ts",
    'import { defineConfig } from "tritype";\nexport default defineConfig({});\n',
  );
  project.write("pipeline.ts", pipeline);
  return (await compileFixture(project)).compilation;
};

/** Scores the rows of `x`; dims and options as given. */
const rank = (ensembleDims: string, stepDims: string, options = "", step = ""): string => `
import { defineEnsemble, fp32, onnx } from "tritype";
const double = onnx({ name: "double", file: "models/double.onnx",${step} inputs: { x: fp32(${stepDims}, 4) }, outputs: { y: fp32(${stepDims}, 4) } });
export const rank = defineEnsemble({
  name: "rank",${options}
  inputs: { x: fp32(${ensembleDims}, 4) },
  run: ({ x }) => ({ shares: double({ x }).y.mean(-1).softmax(0) }),
});
`;

test("a softmax over the candidates of one request: following the help texts leads to a pipeline that compiles", async () => {
  const batched = await compile(rank('"batch"', '"batch"', " maxBatchSize: 8,"));
  expect(batched.diagnostics.map(({ code, help }) => [code, help])).toEqual([
    [
      "batch/mixes-rows",
      'use another axis: the result for a row may only depend on that row. If the rows belong to one request, as candidates that are compared, name their dim "n" instead of "batch" in the inputs of the ensemble, and move `maxBatchSize` from it to the steps that it calls',
    ],
  ]);
  // Only the first half of that help text is followed.
  const half = await compile(rank('"n"', '"batch"'));
  expect(half.diagnostics.map(({ code, help }) => [code, help])).toEqual([
    ["batch/no-max-batch-size", "add `maxBatchSize`, the largest batch size that a request may have"],
  ]);
  for (const pipeline of [rank('"n"', '"batch"', "", " maxBatchSize: 8,"), rank('"n"', '"n"')]) {
    const whole = await compile(pipeline);
    expect(whole.diagnostics).toEqual([]);
    expect(whole.build).toBeDefined();
  }
});

test("the texts of one request go through a tokenizer, whose dims always begin with the batch", async () => {
  const { diagnostics, build } = await compile(`
import { bytes, defineEnsemble, fp32, int64, meanPool, onnx, tokenizer } from "tritype";
const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 8, maxBatchSize: 8 });
const encoder = onnx({ name: "encoder", file: "models/encoder.onnx", maxBatchSize: 8,
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) } });
export const rank = defineEnsemble({ name: "rank", inputs: { texts: bytes("n", 1) },
  run({ texts }) {
    const { input_ids, attention_mask } = tokenize({ text: texts });
    const { last_hidden_state } = encoder({ input_ids, attention_mask });
    return { shares: meanPool(last_hidden_state, attention_mask).mean(-1).softmax("n") };
  } });
`);
  expect(diagnostics).toEqual([]);
  expect(build).toBeDefined();
});

/** A model, a function and an ensemble that give each row a score without a dim of its own, or with one. */
const scored = (scores: string, kept = ""): string => `
import { defineEnsemble, fp32, onnx, step } from "tritype";
const double = onnx({ name: "double", file: "models/double.onnx", maxBatchSize: 8, inputs: { x: fp32("batch", 4) }, outputs: { y: fp32("batch", 4) } });
const first = step({ name: "first", maxBatchSize: 8, inputs: { x: fp32("batch", 4) }, outputs: { score: ${scores} },
  run: ({ x }) => ({ score: x[0] ?? 0 }) });
const best = defineEnsemble({ name: "best", maxBatchSize: 8, inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ score: double({ x }).y.max(-1${kept}) }) });
export const rank = defineEnsemble({ name: "rank", inputs: { x: fp32("n", 4) },
  run: ({ x }) => ({ shares: first({ x }).score.add(best({ x }).score).softmax("n") }) });
`;

test("a tensor with only the batch dim gets a second dim of size 1", async () => {
  const { diagnostics } = await compile(scored('fp32("batch")'));
  const help = `name the first dim of every input of the ensemble "batch" and give it \`maxBatchSize\`; if its rows belong to one request, as candidates that are compared, give \`score\` a second dim of size 1, as in fp32("batch", 1)`;
  expect(diagnostics.map((one) => [one.code, one.help])).toEqual([
    ["batch/ensemble-not-batched", help],
    ["batch/ensemble-not-batched", help],
  ]);
  const mended = await compile(scored('fp32("batch", 1)', ", { keepDims: true }"));
  expect(mended.diagnostics).toEqual([]);
  expect(mended.build).toBeDefined();
});

test("a batched step gets at most as many rows as it accepts, and equally many at every input", async () => {
  const call = (dims: string, passed: string): string => `
import { defineEnsemble, fp32, onnx } from "tritype";
const add = onnx({ name: "add", file: "models/add.onnx", maxBatchSize: 8,
  inputs: { a: fp32("batch", 4), b: fp32("batch", 4) }, outputs: { sum: fp32("batch", 4) } });
export const e = defineEnsemble({ name: "e", inputs: { a: fp32(${dims}, 4), b: fp32(${passed}, 4) }, run: (x) => add(x) });
`;
  const found = async (dims: string, passed: string) =>
    (await compile(call(dims, passed))).diagnostics.map(({ code, message, help }) =>
      [code, message, help].join(" | "),
    );
  project.write("models/add.onnx", sumModel());
  expect(await found("8", "8")).toEqual([]);
  expect(await found('"n"', '"n"')).toEqual([]);
  expect(await found("-1", "8")).toEqual([]);
  expect(await found("9", "9")).toEqual([
    "batch/member-too-small | `add` accepts batches of at most 8, but ensemble `e` allows 9 | raise `maxBatchSize` of the step, or pass it at most 8 rows",
  ]);
  expect(await found('"n"', '"m"')).toEqual([expect.stringMatching(/^shape\/name-conflict \| /)]);
  expect(await found("1", "2")).toEqual([expect.stringMatching(/^shape\/name-conflict \| /)]);
});

const sumModel = (): Uint8Array => {
  const type = { dtype: "FP32", dims: ["batch", 4] } as const;
  const ports = ["a", "b"].map((name) => ({ name, type }));
  return buildModel({ name: "add", inputs: ports, outputs: [{ name: "sum", type }] }, (b) => ({
    sum: b.node("Add", ["a", "b"])[0],
  }));
};
