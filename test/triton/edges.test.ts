import { join } from "node:path";
import { writeBuild } from "@tritype/project";
import { httpClient } from "@tritype/client";
import { type TensorData, tensorOf } from "@tritype/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { doubleModel } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installTime, type Judged, judgeRepository } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

const pipeline = `
import { bool, bytes, concat, constant, defineEnsemble, fp16, fp32, fp64, int8, int32, int64, lookup, onnx, optional, python, uint8, where } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

const flat = onnx({
  name: "flat",
  file: "models/flat.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  inputFields: { x: { reshape: { shape: [2, 2] } } },
  outputFields: { y: { reshape: { shape: [2, 2] } } },
});

/** The model's tensors have different sizes from those of its clients. */
export const reshaped = defineEnsemble({
  name: "reshaped",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: flat({ x: x.add(1) }).y, again: flat({ x }).y }),
});

/** Returns its input in addition to the result computed from it. */
export const passes = defineEnsemble({
  name: "passes",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 4), id: int64("batch"), note: bytes("batch", 1) },
  run({ x, id, note }) {
    const { y } = double({ x });
    return { y, y_again: y, x_out: x, id_out: id, note_out: note, next: id.add(1) };
  },
});

/** Two independent steps. */
export const apart = defineEnsemble({
  name: "apart",
  maxBatchSize: 4,
  inputs: { left: fp32("batch", 4), right: fp32("batch", 4) },
  run({ left, right }) {
    return { a: double({ x: left }).y, b: double({ x: right }).y };
  },
});

/** Dtypes of every size in a single region of tensor math. */
export const casts = defineEnsemble({
  name: "casts",
  maxBatchSize: 4,
  inputs: { small: int8("batch", 2), byte: uint8("batch", 2), half: fp16("batch", 2), wide: fp64("batch", 2), flag: bool("batch", 2) },
  run({ small, byte, half, wide, flag }) {
    const label = lookup(flag.cast(int64).sum(-1), ["none", "one", "both"]);
    return {
      sum: small.cast(int32).add(byte.cast(int32)),
      floats: half.cast(fp64).add(wide),
      halves: half.mul(2),
      either: where(flag, small, 0),
      no: flag.not(),
      label,
      label_again: label,
    };
  },
});

/** The maximum batch size is 1. */
export const single = defineEnsemble({
  name: "single",
  maxBatchSize: 1,
  inputs: { x: fp32("batch", 4) },
  run({ x }) {
    const { y } = double({ x });
    return { y, top: y.max(-1, { keepDims: true }) };
  },
});

const shift = python({
  name: "shift",
  file: "models/shift.py",
  inputs: { x: fp32("batch", 4), by: optional(fp32("batch", 4)) },
  outputs: { y: fp32("batch", 4) },
});

/** A step with an optional input next to tensor math, which needs all of its inputs. */
export const optionally = defineEnsemble({
  name: "optionally",
  maxBatchSize: 4,
  inputs: { x: fp32("batch", 4), by: optional(fp32("batch", 4)), other: fp32("batch", 4) },
  run: ({ x, by, other }) => ({ shifted: shift({ x, by }).y, half: other.mul(0.5) }),
});

/** Sizes that depend on other sizes, without batching. */
export const sizes = defineEnsemble({
  name: "sizes",
  inputs: { a: fp32("n", 3), b: fp32("m", 3) },
  run({ a, b }) {
    const both = concat([a, b], 0);
    return { both, scores: a.matmul(b.transpose(1, 0)), column: both.sum(0) };
  },
});
`;

const shiftModel = `import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self.respond(request) for request in requests]

    def respond(self, request):
        x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
        by = pb_utils.get_input_tensor_by_name(request, "by")
        return pb_utils.InferenceResponse([pb_utils.Tensor("y", x if by is None else x + by.as_numpy())])
`;

let project: ProjectFixture;
let judged: Judged;

beforeAll(async () => {
  project = makeProject({
    "pipeline.ts": pipeline,
    "models/double.onnx": doubleModel(),
    "models/flat.onnx": doubleModel(2, 17, [2]),
    "models/shift.py": shiftModel,
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

const count = (size: number): number[] => Array.from({ length: size }, (_, i) => i);
const rows = (size: number): TensorData =>
  tensorOf(
    "FP32",
    [size, 4],
    count(size * 4).map((i) => Math.cos(i * 3) * 2),
  );
const passing = (size: number) => ({
  x: rows(size),
  id: tensorOf(
    "INT64",
    [size, 1],
    count(size).map((i) => 2n ** 53n + BigInt(i)),
  ),
  note: tensorOf(
    "BYTES",
    [size, 1],
    count(size).map((i) => "é".repeat(i)),
  ),
});
const casting = (size: number) => ({
  small: tensorOf(
    "INT8",
    [size, 2],
    count(size * 2).map((i) => i * 40 - 128),
  ),
  byte: tensorOf(
    "UINT8",
    [size, 2],
    count(size * 2).map((i) => 255 - i),
  ),
  half: tensorOf(
    "FP16",
    [size, 2],
    count(size * 2).map((i) => i / 4),
  ),
  wide: tensorOf(
    "FP64",
    [size, 2],
    count(size * 2).map((i) => 1e300 * i),
  ),
  flag: tensorOf(
    "BOOL",
    [size, 2],
    count(size * 2).map((i) => i % 3 === 0),
  ),
});
const sized = (n: number, m: number) => ({
  a: tensorOf("FP32", [n, 3], count(n * 3).map(Math.sqrt)),
  b: tensorOf("FP32", [m, 3], count(m * 3).map(Math.cbrt)),
});

test.each<[string, Readonly<Record<string, TensorData>>, ...(readonly string[])[]]>([
  ["passes", passing(1)],
  ["passes", passing(4), ["y"], ["y_again"], ["x_out"], ["id_out"], ["note_out"], ["next", "y"]],
  ["passes", passing(5)],
  ["apart", { left: rows(3), right: rows(3) }, [], ["a"], ["b"]],
  ["casts", casting(1)],
  ["casts", casting(3), [], ["label"], ["label_again"], ["no", "sum"]],
  ["reshaped", { x: rows(3) }],
  ["single", { x: rows(1) }, [], ["top"]],
  ["single", { x: rows(2) }],
  ["optionally", { x: rows(3), other: rows(3) }, [], ["shifted"], ["half"]],
  ["sizes", sized(1, 1)],
  ["sizes", sized(2, 5), [], ["scores"], ["column"]],
])("%s, case %#", async (model, inputs, ...subsets) => {
  for (const outputs of subsets.length === 0 ? [[]] : subsets)
    await expectSameAnswers(judged, { model, inputs: new Map(Object.entries(inputs)), outputs });
});

test.each([
  ["passes", passing(1), ["y", "y_again", "x_out", "id_out", "note_out", "next"]],
  ["apart", { left: rows(1), right: rows(1) }, ["a", "b"]],
  ["casts", casting(1), ["sum", "floats", "halves", "either", "no", "label", "label_again"]],
  ["sizes", sized(2, 2), ["both", "scores", "column"]],
  ["optionally", { x: rows(1), by: rows(1), other: rows(1) }, ["shifted", "half"]],
  ["optionally", { x: rows(1), other: rows(1) }, ["shifted", "half"]],
])("Triton answers every subset of the outputs of %s", async (model, inputs, outputs) => {
  const client = httpClient(judged.triton.httpUrl, { timeoutMs: 10_000 });
  for (let chosen = 1; chosen < 2 ** outputs.length; chosen++) {
    const subset = outputs.filter((_, i) => (chosen & (1 << i)) !== 0);
    const answer = await client.infer({ model, inputs: new Map(Object.entries(inputs)), outputs: subset });
    expect([...answer.keys()].toSorted()).toEqual(subset.toSorted());
  }
});
