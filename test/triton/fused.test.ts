import { httpClient } from "@tritype/client";
import { type TensorData, tensorOf, valuesOf } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contextualEncoder } from "../fixtures/contextual-encoder.ts";
import { withExternalData } from "../fixtures/external-data.ts";
import { doubleModel, scaleModel } from "../fixtures/models.ts";
import { type Built, type FusedCallCase, serveProject, testFused } from "./fused-and-apart.ts";
import { installTime } from "./judge.ts";
import { outcome } from "./same-answers.ts";

/**
 * Math after two tokenizers and an encoder with its weights in a separate file, and math before, between and after small
 * models.
 */
const pipeline = (fuse: string): string => `
import { bytes, defineEnsemble, fp32, fp64, int64, l2Normalize, meanPool, onnx, tokenizer, when } from "tritype";

const ids = int64("batch", "seq");
const encoder = onnx({
  name: "encoder",
  file: "models/encoder.onnx",
  inputs: { input_ids: ids, attention_mask: ids, token_type_ids: ids },
  outputs: { last_hidden_state: fp32("batch", "seq", 16) },
  dynamicBatching: {},
  ${fuse}
});
const cut = { from: "assets/tokenizer", maxLength: 64, tokenTypeIds: true } as const;
const tokenizeQuery = tokenizer({ name: "tokenize_query", ...cut, prefix: "query: " });
const tokenizePassage = tokenizer({ name: "tokenize_passage", ...cut, prefix: "passage: " });
const warmup = [{ name: "short", inputs: { text: ["a text"] } }, { name: "long", inputs: { text: ["on and on ".repeat(9)] } }];
const embed = (name: string, tokenize: typeof tokenizeQuery, batchBy?: "length") =>
  defineEnsemble({
    name,
    maxBatchSize: 16,
    inputs: { text: bytes("batch", 1) },
    ...(batchBy === undefined ? {} : { batchBy }),
    run({ text }) {
      const tokens = tokenize({ text });
      return { vector: l2Normalize(meanPool(encoder(tokens).last_hidden_state, tokens.attention_mask)) };
    },
    warmup,
  });
export const query = embed("query", tokenizeQuery);
export const passage = embed("passage", tokenizePassage, "length");

const x = fp32("batch", 4);
const double = onnx({ name: "double", file: "models/double.onnx", inputs: { x }, outputs: { y: x }, ${fuse} });
const scale = onnx({ name: "scale", file: "models/scale.onnx", inputs: { x }, outputs: { y: x }, ${fuse} });
/** Returns a tensor that is also read, a branch, and a result of each part. */
export const numbers = defineEnsemble({
  name: "numbers",
  maxBatchSize: 8,
  inputs: { a: x, b: fp32("batch", 1) },
  run({ a, b }) {
    const before = a.softmax(-1).mul(b);
    const { y } = double({ x: before });
    const between = y.sub(a).relu();
    const scaled = scale({ x: between }).y;
    const after = when(scaled.sum(-1).gt(1), scaled.div(3), scaled.log());
    return { y, before, after, best: scaled.argmax(-1).unsqueeze(-1) };
  },
});

const project = onnx({
  name: "project",
  file: "models/project.onnx",
  inputs: { x: fp64("batch", 2) },
  outputs: { y: fp64("batch", 2) },
  ${fuse}
});
/** Numbers before and after a MatMul. */
export const precise = defineEnsemble({
  name: "precise",
  maxBatchSize: 8,
  inputs: { a: fp64("batch", 2) },
  run: ({ a }) => ({ scaled: project({ x: a.mul(0.1) }).y.div(3) }),
});
`;

/** FP64[batch, 2] → FP64[batch, 2], by a MatMul. */
const projectModel = (): Uint8Array => {
  const type = { dtype: "FP64", dims: ["batch", 2] } as const;
  const header = { name: "project", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] };
  return buildModel(header, (b) => ({
    y: b.node("MatMul", ["x", b.constant(tensorOf("FP64", [2, 2], [1 / 3, 0, 0, 123.456]))])[0],
  }));
};

const build = (fuse: string): Promise<Built> => {
  const encoder = withExternalData(contextualEncoder(), "weights.bin", 64);
  return serveProject({
    "pipeline.ts": pipeline(fuse),
    "models/encoder.onnx": encoder.model,
    "models/weights.bin": encoder.data,
    "models/double.onnx": doubleModel(),
    "models/scale.onnx": scaleModel(3),
    "models/project.onnx": projectModel(),
  });
};

let fused: Built;
let apart: Built;
beforeAll(async () => {
  fused = await build("");
  apart = await build("fuse: false,");
}, installTime);
afterAll(async () => {
  for (const one of [fused, apart]) await one?.stop();
});

test("only the fused build has no separate models for tensor math", () => {
  expect(apart.members.filter((name) => !fused.members.includes(name))).toEqual([
    "numbers_after_best",
    "numbers_before",
    "numbers_y",
    "passage_vector",
    "precise_scaled",
    "precise_to_project",
    "query_vector",
  ]);
});

const rows = (...texts: readonly string[]) => ({ text: tensorOf("BYTES", [texts.length, 1], texts) });
const values = (count: number) => ({
  a: tensorOf(
    "FP32",
    [count, 4],
    Array.from({ length: 4 * count }, (_, i) => Math.sin(i * 1.7) * (i % 5)),
  ),
  b: tensorOf(
    "FP32",
    [count, 1],
    Array.from({ length: count }, (_, i) => i * 3 - 2),
  ),
});
const precise = tensorOf("FP64", [2, 2], [0.7, 1e-3, -5, 12_345.678_9]);
const calls: readonly FusedCallCase[] = [
  ["one text", "query", rows("a text")],
  ["several", "query", rows("a text", "", "the quick brown fox jumps over the lazy dog ".repeat(4))],
  ["by length", "passage", rows("a text", "another, which is longer", "naïve 日本")],
  ["one row", "numbers", values(1)],
  ["some rows", "numbers", values(8)],
  ["one output", "numbers", values(3), ["best"]],
  ["outputs of two models", "numbers", values(3), ["before", "after"]],
  ["too many rows", "numbers", values(9)],
  ["FP64", "precise", { a: precise }],
];

testFused(calls, () => ({ fused, apart }));

test("FP64 keeps all digits next to a MatMul", async () => {
  const expected = (valuesOf(precise) as number[]).map(
    (x, i) => (x * 0.1 * (i % 2 === 0 ? 1 / 3 : 123.456)) / 3,
  );
  const { local, triton } = fused.judged;
  const call = { model: "precise", inputs: new Map([["a", precise]]) };
  for (const server of [local, httpClient(triton.httpUrl, { timeoutMs: 20_000 })]) {
    const { scaled } = await outcome(server, call);
    expect(valuesOf(scaled as TensorData)).toEqual(expected);
  }
});
