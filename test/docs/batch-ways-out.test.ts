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
const rank = (ensembleDims: string, stepDims: string, options = ""): string => `
import { defineEnsemble, fp32, onnx } from "tritype";
const double = onnx({ name: "double", file: "models/double.onnx", inputs: { x: fp32(${stepDims}, 4) }, outputs: { y: fp32(${stepDims}, 4) } });
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
      'use another axis: the result for a row may only depend on that row. If the rows belong to one request, as candidates that are compared, name their dim "n" instead of "batch" in the inputs of the ensemble and in the steps that it calls, and remove `maxBatchSize`',
    ],
  ]);
  // Only the first half of that help text is followed.
  const half = await compile(rank('"n"', '"batch"'));
  expect(half.diagnostics.map(({ code, help }) => [code, help])).toEqual([
    [
      "batch/ensemble-not-batched",
      'name the first dim of every input of the ensemble "batch" and give it `maxBatchSize`; if its rows belong to one request, as candidates that are compared, name the first dim of every input and output of `double` "n"',
    ],
  ]);
  const whole = await compile(rank('"n"', '"n"'));
  expect(whole.diagnostics).toEqual([]);
  expect(whole.build).toBeDefined();
});

test("a step whose kind names its dims is called from a flow, once for each row", async () => {
  const tokenized = (flow: boolean): string => `
import { bytes, defineEnsemble, flow, fp32, int64, meanPool, onnx, tokenizer } from "tritype";
const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 8 });
${
  flow
    ? `const encoder = onnx({ name: "encoder", file: "models/encoder.onnx",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { last_hidden_state: fp32("batch", "seq", 8) } });
const score = defineEnsemble({ name: "score", maxBatchSize: 8, inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const { input_ids, attention_mask } = tokenize({ text });
    const { last_hidden_state } = encoder({ input_ids, attention_mask });
    return { score: meanPool(last_hidden_state, attention_mask).mean(-1, { keepDims: true }) };
  } });
export const rank = flow({ name: "rank", maxBatchSize: 8, inputs: { texts: bytes("batch", "n") },
  outputs: { shares: fp32("batch", "n") }, uses: { score },
  async run({ texts }, { score }) {
    const scores = await Promise.all(texts.map(async (text) => Math.exp((await score({ text })).score)));
    const sum = scores.reduce((a, b) => a + b, 0);
    return { shares: scores.map((value) => value / sum) };
  } });`
    : `export const rank = defineEnsemble({ name: "rank", inputs: { texts: bytes("n", 1) },
  run: ({ texts }) => tokenize({ text: texts }) });`
}
`;
  const { diagnostics } = await compile(tokenized(false));
  expect(diagnostics.map(({ code, help }) => [code, help])).toEqual([
    [
      "batch/ensemble-not-batched",
      'name the first dim of every input of the ensemble "batch" and give it `maxBatchSize`; if its rows belong to one request, as candidates that are compared, call `tokenize` from a `flow`, once for each row',
    ],
  ]);
  const mended = await compile(tokenized(true));
  expect(mended.diagnostics).toEqual([]);
  expect(mended.build).toBeDefined();
});
