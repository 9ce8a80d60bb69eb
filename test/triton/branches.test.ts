import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Scalar, type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { readOnnxModel } from "@tritype/onnx";
import { judgeBuild, writeBuild } from "@tritype/project";
import { afterAll, beforeAll, expect, test } from "vitest";
import { doubleModel } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installTime, type Judged, judgeRepository } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

const pipeline = `
import { bool, bytes, constant, defineEnsemble, fp32, int64, onnx, when } from "tritype";

const double = onnx({
  name: "double",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
});

/** A decision for each row, which becomes a Where. */
export const rows = defineEnsemble({
  name: "rows",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4), sure: bool("batch", 1), note: bytes("batch", 2) },
  run({ x, sure, note }) {
    const { y } = double({ x });
    const chosen = when(sure, () => y.log(), () => x);
    const best = x.max(-1);
    const { note: said, label } = when(
      best.gt(0),
      () => ({ note, label: y.argmax(-1) }),
      { note: constant({ dtype: "BYTES" }, ["none", "ünknown"], 1, 2), label: constant(int64, -1) },
    );
    return { chosen, said, label, nested: when(sure, () => when(best.gt(0), y, x), () => x.neg()) };
  },
});

/** A decision for the whole request, which becomes an If. */
export const once = defineEnsemble({
  name: "once",
  inputs: { x: fp32("n", 4), flag: bool(1), count: int64(2), parts: int64(1) },
  run({ x, flag, count, parts }) {
    const total = x.sum(0).sum(0);
    const { y, best } = when(
      flag,
      () => {
        const scaled = x.matmul(x.transpose(1, 0)).matmul(x);
        return { y: scaled.tanh(), best: scaled.max(-1) };
      },
      () => ({ y: x.log(), best: x.min(-1) }),
    );
    const nested = when(total.gt(0), () => when(flag, () => x.exp(), x).neg(), () => when(flag, x, () => x.relu()));
    return { y, best, nested, each: when(parts.ne(0), () => count.div(parts), () => count) };
  },
});
`;

let project: ProjectFixture;
let judged: Judged;

beforeAll(async () => {
  project = makeProject({ "pipeline.ts": pipeline, "models/double.onnx": doubleModel() });
  const compiled = await compileFixture(project);
  expect(judgeBuild(compiled).diagnostics).toEqual([]);
  writeBuild(project.path("build"), compiled.compilation.build?.tree ?? new Map());
  judged = await judgeRepository(join(project.path("build"), "model_repository"));
}, installTime);
afterAll(async () => {
  await judged?.stop();
  project.remove();
});

const odd = [Number.NaN, -1, -0, Infinity, -Infinity, 0.5, 1e30, -2];
const floats = (rows: number, from = 0): TensorData =>
  tensorOf(
    "FP32",
    [rows, 4],
    Array.from({ length: rows * 4 }, (_, i) => odd[(i + from) % odd.length] ?? 0),
  );
const bools = (shape: readonly number[], ...values: readonly boolean[]): TensorData =>
  tensorOf("BOOL", shape, values);
const notes = (rows: number): TensorData =>
  tensorOf(
    "BYTES",
    [rows, 2],
    Array.from({ length: rows * 2 }, (_, i) => ["", "naïve", "日本"][i % 3] ?? ""),
  );
const onceInputs = (n: number, flag: boolean, parts: bigint): Readonly<Record<string, TensorData>> => ({
  x: floats(n),
  flag: bools([1], flag),
  count: tensorOf("INT64", [2], [7n, -7n]),
  parts: tensorOf("INT64", [1], [parts]),
});

test("Triton loads the models without a problem", () => {
  expect(judged.triton.problems()).toEqual([]);
});

test("the math of `once` is in the branches of an If, that of `rows` is not", () => {
  const operatorsOf = (model: string): readonly string[] => {
    const read = readOnnxModel(readFileSync(project.path(`build/model_repository/${model}/1/model.onnx`)));
    return "graph" in read ? (read.graph.node ?? []).map(({ opType = "" }) => opType) : [read.problem];
  };
  expect(operatorsOf("once_outputs")).toEqual(["ReduceSum", "ReduceSum", "Greater", "If", "If"]);
  expect(operatorsOf("rows_outputs")).not.toContain("If");
});

test.each<[string, Readonly<Record<string, TensorData>>]>([
  ["rows", { x: floats(1), sure: bools([1, 1], true), note: notes(1) }],
  ["rows", { x: floats(4), sure: bools([4, 1], true, false, false, true), note: notes(4) }],
  [
    "rows",
    {
      x: floats(8, 3),
      sure: bools([8, 1], true, false, true, false, true, false, true, false),
      note: notes(8),
    },
  ],
  ["rows", { x: floats(0), sure: bools([0, 1]), note: notes(0) }],
  ["once", onceInputs(3, true, 2n)],
  ["once", onceInputs(3, false, 2n)],
  ["once", onceInputs(1, true, 0n)],
  ["once", onceInputs(0, false, -1n)],
  ["once", { ...onceInputs(2, true, 3n), x: tensorOf("FP32", [2, 4], [1, 2, 3, 4, 5, 6, 7, 8]) }],
  ["once", { ...onceInputs(2, false, 3n), x: tensorOf("FP32", [2, 4], [1, 2, 3, 4, 5, 6, 7, 8]) }],
  ["once", { ...onceInputs(2, false, 3n), flag: bools([2], true, false) }],
])("%s gives the same answers everywhere, case %#", async (model, inputs) => {
  await expectSameAnswers(judged, { model, inputs: new Map(Object.entries(inputs)) });
});

const ask = async (
  model: string,
  inputs: Readonly<Record<string, TensorData>>,
): Promise<Readonly<Record<string, readonly Scalar[]>>> => {
  const { outputs } = await judged.local.infer({ model, id: "", inputs: new Map(Object.entries(inputs)) });
  return Object.fromEntries([...outputs].map(([name, tensor]) => [name, valuesOf(tensor)]));
};

test("no row gets a NaN or an infinity from the other branch", async () => {
  const x = tensorOf("FP32", [2, 4], [1, 1, 1, 1, -1, -0, -Infinity, -2]);
  const answer = await ask("rows", { x, sure: bools([2, 1], true, false), note: notes(2) });
  const log = Math.fround(Math.log(2));
  expect(answer["chosen"]?.slice(0, 4).map((value) => Math.fround(Number(value)))).toEqual([
    log,
    log,
    log,
    log,
  ]);
  expect(answer["chosen"]?.slice(4)).toEqual([-1, -0, -Infinity, -2]);
  expect(answer["said"]).toEqual(["", "naïve", "none", "ünknown"]);
  expect(answer["label"]).toEqual([0n, -1n]);
});

test("the branch that is not chosen is not computed; it would divide by zero", async () => {
  expect((await ask("once", onceInputs(1, true, 0n)))["each"]).toEqual([7n, -7n]);
  expect((await ask("once", onceInputs(1, true, 2n)))["each"]).toEqual([3n, -3n]);
});
