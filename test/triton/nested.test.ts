import { join } from "node:path";
import { writeBuild } from "@tritype/project";
import { type TensorData, tensorOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { afterAll, beforeAll, expect, test } from "vitest";
import { doubleModel } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installTime, type Judged, judgeRepository } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

const pipeline = `
import { defineEnsemble, fp32, int64, onnx } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});
const next = onnx({
  name: "next",
  file: "models/next.onnx",
  inputs: { label: int64("batch") },
  outputs: { following: int64("batch") },
});

/** Returns tensors that are also used: by a region, by a step, and unchanged from a step. */
export const classify = defineEnsemble({
  name: "classify",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const { y: logits } = double({ x });
    const label = logits.argmax(-1);
    const { following } = next({ label });
    return { label, following, logits, after: next({ label: following }).following };
  },
});

/** A tensor with only the batch dim is an input and an output. */
export const shift = defineEnsemble({
  name: "shift",
  maxBatchSize: 8,
  inputs: { label: int64("batch") },
  run({ label }) {
    const { following } = next({ label });
    return { following, moved: label.add(following) };
  },
});

export const nested = defineEnsemble({
  name: "nested",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const { label, logits } = classify({ x });
    const { moved } = shift({ label });
    return { label, moved, best: logits.max(-1), again: next({ label: moved }).following };
  },
});

export const deeper = defineEnsemble({
  name: "deeper",
  maxBatchSize: 2,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const { label, best } = nested({ x });
    return { label, scaled: x.div(best.abs().add(1).unsqueeze(-1)) };
  },
});

export const unbatched = defineEnsemble({
  name: "unbatched",
  inputs: { x: fp32("n", 2), y: fp32(2) },
  run({ x, y }) {
    return { same: x, sum: x.add(y), column: x.sum(1) };
  },
});
`;

const nextModel = (): Uint8Array => {
  const type = { dtype: "INT64", dims: ["batch"] } as const;
  const header = {
    name: "next",
    inputs: [{ name: "label", type }],
    outputs: [{ name: "following", type }],
  };
  return buildModel(header, (builder) => ({
    following: builder.node("Add", ["label", builder.constant(tensorOf("INT64", [1], [1n]))])[0],
  }));
};

let project: ProjectFixture;
let judged: Judged;

beforeAll(async () => {
  project = makeProject({
    "pipeline.ts": pipeline,
    "models/double.onnx": doubleModel(),
    "models/next.onnx": nextModel(),
  });
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  judged = await judgeRepository(join(project.path("build"), "model_repository"));
}, installTime);
afterAll(async () => {
  await judged?.stop();
  project.remove();
});

const rows = (count: number): TensorData =>
  tensorOf(
    "FP32",
    [count, 4],
    Array.from({ length: count * 4 }, (_, i) => Math.sin(i * i) * 3),
  );
const labels = (count: number): TensorData =>
  tensorOf(
    "INT64",
    [count, 1],
    Array.from({ length: count }, (_, i) => BigInt(i)),
  );
const plain = {
  x: tensorOf("FP32", [3, 2], [1, 2, 3, 4, 5, 6]),
  y: tensorOf("FP32", [2], [10, 20]),
};

test("Triton loads the models without a problem", () => {
  expect(judged.triton.problems()).toEqual([]);
});

test.each<[string, Readonly<Record<string, TensorData>>, ...(readonly string[])[]]>([
  ["classify", { x: rows(1) }],
  ["classify", { x: rows(8) }],
  ["classify", { x: rows(9) }],
  ["classify", { x: rows(2) }, ["label"], ["following"], ["logits"], ["after"], ["logits", "label"]],
  ["shift", { label: labels(1) }],
  ["shift", { label: labels(5) }, ["moved"], ["following"]],
  ["shift", { label: tensorOf("INT64", [3], [1n, 2n, 3n]) }],
  ["nested", { x: rows(3) }, [], ["label"], ["moved"], ["best"], ["again"], ["again", "label"]],
  ["nested", { x: rows(5) }],
  ["deeper", { x: rows(2) }, [], ["label"], ["scaled"]],
  ["deeper", { x: rows(3) }],
  ["unbatched", plain, [], ["same"], ["sum"], ["column"], ["column", "same"]],
])("%s, case %#", async (model, inputs, ...subsets) => {
  for (const outputs of subsets.length === 0 ? [[]] : subsets)
    await expectSameAnswers(judged, { model, inputs: new Map(Object.entries(inputs)), outputs });
});

test("for clients, a tensor with only the batch dim has shape [batch, 1], whichever step made it", async () => {
  const answer = await judged.local.infer({ model: "nested", id: "", inputs: new Map([["x", rows(2)]]) });
  expect(Object.fromEntries([...answer.outputs].map(([name, { shape }]) => [name, shape]))).toEqual({
    label: [2, 1],
    moved: [2, 1],
    best: [2, 1],
    again: [2, 1],
  });
});
