import { writeBuild } from "@tritype/project";
import { grpcClient, type InferenceClient } from "@tritype/client";
import { type NamedTensors, PipelineError, tensorOf, valuesOf } from "@tritype/core";
import { type Runtime, startRuntime } from "@tritype/runtime";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { classifyModel, torchscript } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { withTorchBackend } from "../fixtures/torch-backend/with-torch-backend.ts";
import { installJudge, installTime, killTriton } from "./judge.ts";

/**
 * A model with numbered names; the same model with the names of `forward`'s arguments in a different order; a model whose
 * sizes became constants when it was traced; and a model that is declared with the wrong dtype.
 */
const pipeline = `
import { defineEnsemble, flow, fp32, int64, torchscript } from "tritype";

const input_ids = int64("batch", "seq");
const attention_mask = int64("batch", "seq");
const tokens = { input_ids, attention_mask };
const answers = { logits: fp32("batch", 2), label: int64("batch", 1) };
const file = "models/classify.pt";
const standIn = "models/classify.onnx";

const numbered = torchscript({
  name: "numbered", file, standIn, inputs: tokens, outputs: answers, dynamicBatching: { maxQueueDelay: "50ms" },
});
const named = torchscript({
  name: "named", file, standIn, naming: "forward", inputs: { attention_mask, input_ids }, outputs: answers,
  parameters: { INFERENCE_MODE: true, INTRA_OP_THREAD_COUNT: 1 },
});
const constant = torchscript({ name: "constant", file: "models/fixed-size.pt", inputs: tokens, outputs: answers });
const declared = torchscript({
  name: "declared", file, inputs: tokens, outputs: { logits: fp32("batch", 2), label: fp32("batch", 1) },
});

export const both = defineEnsemble({
  name: "both",
  maxBatchSize: 8,
  inputs: tokens,
  run: (given) => ({ ...numbered(given), again: named(given).logits }),
});
export const asked = flow({
  name: "asked",
  maxBatchSize: 8,
  inputs: tokens,
  outputs: { label: int64("batch", 1), same: int64("batch", 1) },
  uses: { numbered, named },
  async run(given, { numbered, named }) {
    const [one, other] = await Promise.all([numbered(given), named(given)]);
    const isSame = one.logits.every((value, at) => Math.abs(value - other.logits[at]!) < 1e-6);
    return { label: one.label, same: isSame ? other.label : -1n };
  },
});
export const fixed = defineEnsemble({ name: "fixed", maxBatchSize: 8, inputs: tokens, run: (given) => constant(given) });
export const other = defineEnsemble({ name: "other", maxBatchSize: 8, inputs: tokens, run: (given) => declared(given) });
`;

/** Arbitrary ids. The second half of each row is padding. */
const tokens = (rows: number, length: number): NamedTensors => {
  const cells = Array.from({ length: rows * length }, (_, index) => index);
  const padded = (cell: number): boolean => cell % length > length / 2;
  return new Map([
    [
      "input_ids",
      tensorOf(
        "INT64",
        [rows, length],
        cells.map((cell) => BigInt((cell * 7 + length) % 16)),
      ),
    ],
    [
      "attention_mask",
      tensorOf(
        "INT64",
        [rows, length],
        cells.map((cell) => (padded(cell) ? 0n : 1n)),
      ),
    ],
  ]);
};

let project: ProjectFixture;
let triton: TritonServer;
let client: InferenceClient;
let standIns: Runtime;
beforeAll(async () => {
  project = makeProject({
    "pipeline.ts": pipeline,
    "models/classify.pt": torchscript("classify"),
    "models/classify.onnx": classifyModel(),
    "models/fixed-size.pt": torchscript("fixed-size"),
  });
  const { build } = (await compileFixture(project)).compilation;
  writeBuild(project.path("build"), build?.tree ?? new Map());
  const repository = project.path("build/model_repository");
  triton = await serveTriton(await withTorchBackend(await installJudge()), { repository });
  await triton.waitReady();
  client = grpcClient(triton.grpcAddress, { timeoutMs: 20_000 });
  standIns = await startRuntime({ repository, device: "cpu", python: "twin", notice: () => {} });
}, installTime);
afterAll(async () => {
  await client?.close();
  await Promise.all([killTriton(triton), standIns?.close()]);
  project?.remove();
});

const standInAnswer = async (rows: number, length: number): Promise<NamedTensors> =>
  (await standIns.infer({ model: "both", id: "", inputs: tokens(rows, length) })).outputs;

/** Expects the same logits up to 1e-6, and the same labels. */
const expectSame = (got: NamedTensors, wanted: NamedTensors): void => {
  expect(got.get("label")).toEqual(wanted.get("label"));
  for (const [name, expected] of [
    ["logits", "logits"],
    ["again", "logits"],
  ] as const) {
    const values = [...valuesOf(got.get(name) ?? tensorOf("FP32", [0], []))].map(Number);
    const others = [...valuesOf(wanted.get(expected) ?? tensorOf("FP32", [0], []))].map(Number);
    expect(got.get(name)?.shape).toEqual(wanted.get(expected)?.shape);
    expect(
      values.filter((value, i) => !(Math.abs(value - (others[i] ?? Number.NaN)) <= 1e-6)),
      name,
    ).toEqual([]);
  }
};

test.each([
  [1, 1],
  [2, 6],
  [3, 17],
  [8, 40],
])("%i rows of %i tokens: both namings give the same answers as the ONNX stand-in", async (rows, length) => {
  const answer = await client.infer({ model: "both", inputs: tokens(rows, length) });
  expectSame(answer, await standInAnswer(rows, length));
});

test("a flow calls modules with either naming by the names in its own code", async () => {
  const wanted = await standInAnswer(3, 12);
  const answers = [
    await client.infer({ model: "asked", inputs: tokens(3, 12) }),
    (await standIns.infer({ model: "asked", id: "", inputs: tokens(3, 12) })).outputs,
  ];
  for (const answer of answers) {
    expect(answer.get("label")).toEqual(wanted.get("label"));
    expect(answer.get("same")).toEqual(wanted.get("label"));
  }
});

test("requests that run together get their own answers", async () => {
  const before = await executionsOf("numbered");
  const calls = Array.from({ length: 60 }, (_, index) => (index % 3) + 1);
  const wanted = new Map([1, 2, 3].map((rows) => [rows, standInAnswer(rows, 12)]));
  await Promise.all(
    calls.map(async (rows) => {
      const answer = await client.infer({ model: "both", inputs: tokens(rows, 12) });
      expectSame(answer, (await wanted.get(rows)) ?? new Map());
    }),
  );
  expect((await executionsOf("numbered")) - before).toBeLessThan(60);
});

const executionsOf = async (model: string): Promise<number> =>
  (await client.statistics()).find(({ name }) => name === model)?.execution_count ?? Number.NaN;

test("a module traced with constant sizes answers requests of that size, and refuses others", async () => {
  const traced = await client.infer({ model: "fixed", inputs: tokens(2, 6) });
  expect(traced.get("label")).toEqual((await standInAnswer(2, 6)).get("label"));
  expect(await refusal("fixed", tokens(3, 6))).toMatch(
    /PyTorch execute failure: .*shape '\[2, 6, 1\]' is invalid for input of size 18/s,
  );
});

test("an output with a dtype that differs from the declared one is refused", async () => {
  expect(await refusal("other", tokens(1, 4))).toContain(
    "configuration expects datatype TYPE_FP32 for output 'OUTPUT__1', model provides TYPE_INT64",
  );
});

const refusal = (model: string, inputs: NamedTensors): Promise<string> =>
  client.infer({ model, inputs }).then(
    () => "an answer",
    (error: unknown) => {
      if (!PipelineError.is(error)) throw error;
      return error.message;
    },
  );
