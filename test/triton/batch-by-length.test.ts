import { join } from "node:path";
import { writeBuild } from "@tritype/project";
import { httpClient, type InferenceClient } from "@tritype/client";
import { encodeUtf8, type NamedTensors, PipelineError, tensorOf, valuesOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import type { Runtime } from "@tritype/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contextualEncoder } from "../fixtures/contextual-encoder.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installTime, type Judged, judgeRepository } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

const pipeline = `
import { bytes, defineEnsemble, fp32, int64, l2Normalize, lookup, meanPool, onnx, tokenizer } from "tritype";

const ids = int64("batch", "seq");
const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: ids, attention_mask: ids, token_type_ids: ids },
  outputs: { last_hidden_state: fp32("batch", "seq", 16) },
  dynamicBatching: {},
});
const warmup = [
  { name: "short", inputs: { text: ["a text"] } },
  { name: "long", inputs: { text: ["a text that goes on", "and on and on and on until it ends"] } },
];

const cut = { from: "assets/tokenizer", maxLength: 64, tokenTypeIds: true } as const;
const tokenize = tokenizer({ name: "tokenize", ...cut, prefix: "query: " });
export const embed = defineEnsemble({
  name: "embed",
  maxBatchSize: 16,
  batchBy: "length",
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const tokens = tokenize({ text });
    const pooled = meanPool(encoder(tokens).last_hidden_state, tokens.attention_mask);
    const first = encoder(tokens).last_hidden_state.gather(1, 0);
    return { vector: l2Normalize(pooled), score: first.sum(-1), label: lookup(pooled.argmax(-1), ${JSON.stringify(Array.from({ length: 16 }, (_, i) => `class ${i}`))}) };
  },
  warmup,
});

const tokenizePlain = tokenizer({ name: "tokenize_plain", ...cut });
/** The same pipeline without batching by length, so that Triton's own batcher forms the batches. */
export const plain = defineEnsemble({
  name: "plain",
  maxBatchSize: 16,
  inputs: { text: bytes("batch", 1) },
  run({ text }) {
    const tokens = tokenizePlain({ text });
    return { vector: l2Normalize(meanPool(encoder(tokens).last_hidden_state, tokens.attention_mask)) };
  },
});

const tokenizePairs = tokenizer({ name: "tokenize_pairs", ...cut, pair: true, padding: { buckets: [16, 32, 64] }, truncation: false });
const counted = onnx({
  name: "counted",
  file: "models/counted.onnx",
  inputs: { attention_mask: ids, last_hidden_state: fp32("batch", "seq", 16) },
  outputs: { sum: fp32("batch", 1) },
});
/**
 * Fails for more than 24 tokens. It runs after the encoder, because Triton 24.10 can crash if a step fails while others
 * run.
 */
export const pairs = defineEnsemble({
  name: "pairs",
  maxBatchSize: 16,
  batchBy: { by: "length", maxWaste: 0 },
  inputs: { question: bytes("batch", 1), answer: bytes("batch", 1) },
  run({ question, answer }) {
    const tokens = tokenizePairs({ text: question, text_pair: answer });
    const { last_hidden_state } = encoder(tokens);
    const { attention_mask } = tokens;
    const pooled = meanPool(last_hidden_state, attention_mask);
    return { match: pooled.sum(-1, { keepDims: true }).add(counted({ attention_mask, last_hidden_state }).sum) };
  },
  warmup: [{ name: "one", inputs: { question: ["why", "how"], answer: ["because", "with care"] } }],
});
`;

/** Returns a number for 1 to 24 tokens, fails for more. It reads the encoder's output only to run after the encoder. */
const countedModel = (): Uint8Array => {
  const type = { dtype: "INT64", dims: ["batch", "seq"] } as const;
  const hidden = { dtype: "FP32", dims: ["batch", "seq", 16] } as const;
  const output = { dtype: "FP32", dims: ["batch", 1] } as const;
  return buildModel(
    {
      name: "counted",
      inputs: [
        { name: "attention_mask", type },
        { name: "last_hidden_state", type: hidden },
      ],
      outputs: [{ name: "sum", type: output }],
    },
    (builder) => {
      const one = builder.constant(tensorOf("INT64", [1], [1]));
      const [tokens] = builder.node("ReduceSum", ["attention_mask", one], { keepdims: { int: 1 } });
      const [index] = builder.node("Sub", [tokens, one]);
      const table = builder.constant(
        tensorOf(
          "FP32",
          [24],
          Array.from({ length: 24 }, (_, i) => i / 8),
        ),
      );
      return { sum: builder.node("Gather", [table, index], { axis: { int: 0 } })[0] };
    },
  );
};

let project: ProjectFixture;
let judged: Judged;

beforeAll(async () => {
  project = makeProject({
    "pipeline.ts": pipeline,
    "models/encoder.onnx": contextualEncoder(),
    "models/counted.onnx": countedModel(),
  });
  const { compilation } = await compileFixture(project);
  expect(compilation.diagnostics).toEqual([]);
  writeBuild(project.path("build"), compilation.build?.tree ?? new Map());
  expect(compilation.build?.manifest.padding?.map(({ ensemble, rows }) => [ensemble, rows])).toEqual([
    ["embed", 3],
    ["pairs", 2],
  ]);
  judged = await judgeRepository(join(project.path("build"), "model_repository"), { isUnchanged: true });
  expect(judged.notices).toEqual([]);
}, installTime);
afterAll(async () => {
  await judged?.stop();
  project.remove();
});

const texts = (...rows: readonly (string | Uint8Array)[]): NamedTensors =>
  new Map([["text", textTensor(rows)]]);
const textTensor = (rows: readonly (string | Uint8Array)[]) => ({
  dtype: "BYTES" as const,
  shape: [rows.length, 1],
  data: rows.map((row) => (typeof row === "string" ? encodeUtf8(row) : row)),
});
const notUtf8 = new Uint8Array([0x61, 0xff]);
const words = (count: number): string => Array.from({ length: count }, (_, i) => `word ${i}`).join(" ");

test.each<[string, readonly (string | Uint8Array)[]]>([
  ["one text", ["a short text"]],
  ["an empty text", [""]],
  ["lengths far apart, and out of order", [words(3), words(40), "one", words(12), "", words(41), words(2)]],
  ["a full batch", Array.from({ length: 16 }, (_, i) => words(1 + ((i * 7) % 16)))],
  ["a batch too large", Array.from({ length: 17 }, () => "one")],
  ["a text that is not UTF-8", ["good", notUtf8]],
  ["every script", ["Über den Wolken: 東京の夜は静かです。", "שלום עולם", "👩‍👩‍👧 naïve café"]],
])("native, Python and Triton give the same answers: %s", async (_, rows) => {
  for (const outputs of [[], ["score"], ["label", "vector"]])
    await expectSameAnswers(judged, { model: "embed", inputs: texts(...rows), outputs });
});

test.each<[string, readonly string[], readonly string[]]>([
  ["two pairs", ["why", "how much of it"], ["because", "that much"]],
  ["a pair that is too long", ["why", words(80)], ["because", "so"]],
])("%s: pairs and buckets without truncation work", async (_, questions, answers) => {
  const inputs = new Map([
    ["question", textTensor(questions)],
    ["answer", textTensor(answers)],
  ]);
  await expectSameAnswers(judged, { model: "pairs", inputs });
});

const servers: readonly (readonly [string, () => InferenceClient | Promise<Runtime>])[] = [
  ["the local runtime", () => Promise.resolve(judged.local)],
  ["the local runtime with Python", () => judged.python()],
  ["Triton", () => httpClient(judged.triton.httpUrl, { timeoutMs: 30_000 })],
];

const ask = async (
  server: InferenceClient | Runtime,
  model: string,
  inputs: NamedTensors,
): Promise<NamedTensors> => {
  const answer = await server.infer({ model, inputs, id: "" });
  return "outputs" in answer ? answer.outputs : answer;
};

const numbers = (answer: NamedTensors, output: string): readonly number[] => {
  const tensor = answer.get(output);
  return tensor === undefined ? [] : valuesOf(tensor).map(Number);
};

describe.each(servers)("in a batch with other requests, on %s", (_, open) => {
  test("each request gets its own rows, and only the request with a text that is not UTF-8 fails", async () => {
    const server = await open();
    const requests = Array.from({ length: 24 }, (_unused, i) =>
      i === 11
        ? [notUtf8]
        : Array.from({ length: 1 + (i % 3) }, (_row, row) => words(1 + ((i * 5 + row * 9) % 30))),
    );
    const alone: (readonly number[] | undefined)[] = [];
    for (const [i, rows] of requests.entries())
      alone.push(i === 11 ? undefined : numbers(await ask(server, "embed", texts(...rows)), "vector"));
    const together = await Promise.allSettled(requests.map((rows) => ask(server, "embed", texts(...rows))));
    together.forEach((settled, i) => {
      if (settled.status === "rejected") {
        expect(i).toBe(11);
        expect(PipelineError.is(settled.reason)).toBe(true);
        expect((settled.reason as Error).message).toContain("tokenize: row 0 of text is not valid UTF-8");
        return;
      }
      const got = numbers(settled.value, "vector");
      const wanted = alone[i] ?? [];
      expect(got.length).toBe(wanted.length);
      const far = got.filter((value, at) => Math.abs(value - (wanted[at] ?? Number.NaN)) > 1e-5);
      expect(far, `request ${i}`).toEqual([]);
    });
    expect(together.filter(({ status }) => status === "rejected").length).toBe(1);
  });

  test("a failing group affects only the requests with rows in it", async () => {
    const server = await open();
    const pair = (...questions: readonly string[]): NamedTensors =>
      new Map([
        ["question", textTensor(questions)],
        ["answer", textTensor(questions.map(() => "so"))],
      ]);
    const requests = [
      pair("a b"),
      pair("why", words(13)),
      pair("how"),
      pair(words(13)),
      pair("when", "where"),
    ];
    const settled = await Promise.allSettled(requests.map((inputs) => ask(server, "pairs", inputs)));
    expect(settled.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });
});

const encoderCounts = async (client: InferenceClient): Promise<{ rows: number; executions: number }> => {
  const model = (await client.statistics()).find(({ name }) => name === "encoder");
  return { rows: model?.inference_count ?? 0, executions: model?.execution_count ?? 0 };
};

test("with concurrent texts of mixed lengths, the encoder's average batch is larger", async () => {
  const client = httpClient(judged.triton.httpUrl, { timeoutMs: 30_000 });
  const averageBatch = async (model: string): Promise<number> => {
    const before = await encoderCounts(client);
    let sent = 0;
    const one = async (): Promise<void> => {
      while (sent < 320) await ask(client, model, texts(words(1 + ((sent++ * 7) % 30))));
    };
    await Promise.all(Array.from({ length: 16 }, one));
    const after = await encoderCounts(client);
    return (after.rows - before.rows) / (after.executions - before.executions);
  };
  const [without, grouped] = [await averageBatch("plain"), await averageBatch("embed")];
  expect(grouped).toBeGreaterThan(1.5 * without);
});
