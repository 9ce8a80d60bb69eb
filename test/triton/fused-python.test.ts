import { tensorOf } from "@tritype/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { doubleModel } from "../fixtures/models.ts";
import { type Built, type FusedCallCase, serveProject, testFused } from "./fused-and-apart.ts";
import { installTime } from "./judge.ts";
import { expectSameAnswers } from "./same-answers.ts";

/** Two functions before a tokenizer; and two functions after a model, of which the second one returns JSON. */
const pipeline = (fuse: string): string => `
import { bytes, defineEnsemble, fp32, int32, json, onnx, optional, step, tokenizer } from "tritype";

const text = bytes("batch", 1);
const clean = step({
  name: "clean",
  inputs: { text, limit: optional(int32("batch", 1)) },
  outputs: { text },
  ${fuse}
  timeLimit: "500ms",
  run({ text, limit }) {
    while (text === "loop") {}
    if (text.trim() === "") throw new RangeError("the text is empty");
    return { text: text.trim().slice(0, limit ?? 1000) };
  },
});
const lower = step({
  name: "lower",
  inputs: { text },
  outputs: { text },
  ${fuse}
  timeLimit: "500ms",
  run({ text }) {
    while (text === "LOOP") {}
    return { text: text.toLowerCase() };
  },
});
const tokenize = tokenizer({ name: "tokenize", from: "assets/tokenizer", maxLength: 64, prefix: "query: ", ${fuse} });
export const tokens = defineEnsemble({
  name: "tokens",
  maxBatchSize: 16,
  inputs: { text, limit: int32("batch", 1) },
  run({ text, limit }) {
    const cleaned = clean({ text, limit });
    const lowered = lower({ text: cleaned.text });
    return { ...tokenize(lowered), lowered: lowered.text };
  },
  members: { dynamicBatching: {} },
  warmup: [{ name: "short", inputs: { text: ["a text"], limit: [5] } }],
});

const x = fp32("batch", 4);
const double = onnx({ name: "double", file: "models/double.onnx", inputs: { x }, outputs: { y: x } });
const best = step({
  name: "best",
  inputs: { scores: x },
  outputs: { score: fp32("batch", 1), index: int32("batch", 1) },
  run({ scores }) {
    let index = 0;
    for (const [at, score] of scores.entries()) if (score > (scores[index] ?? 0)) index = at;
    if (index === 3) throw new Error("the last class is not allowed");
    return { score: scores[index] ?? 0, index };
  },
  ${fuse}
});
const tell = step({
  name: "tell",
  inputs: { text, score: fp32("batch", 1), index: int32("batch", 1) },
  outputs: { verdict: json<{ text: string; score: number; index: number }>() },
  ${fuse}
  run: ({ text, score, index }) => ({ verdict: { text, score, index } }),
});
export const verdict = defineEnsemble({
  name: "verdict",
  maxBatchSize: 16,
  inputs: { text, x },
  run({ text, x }) {
    const found = best({ scores: double({ x }).y });
    return { ...tell({ text, ...found }), score: found.score };
  },
});
`;

const build = (fuse: string): Promise<Built> =>
  serveProject({ "pipeline.ts": pipeline(fuse), "models/double.onnx": doubleModel() });

let fused: Built;
let apart: Built;
beforeAll(async () => {
  fused = await build("");
  apart = await build("fuse: false,");
}, installTime);
afterAll(async () => {
  for (const one of [fused, apart]) await one?.stop();
});

test("the fused build has one model for each group of Python steps; its twins run, and Triton has no complaints", () => {
  expect(apart.members).toEqual([
    "best",
    "clean",
    "double",
    "lower",
    "tell",
    "tokenize",
    "tokens",
    "tokens_lowered",
    "verdict",
    "verdict_score",
  ]);
  expect(fused.members).toEqual(["double", "tell", "tokenize", "tokens", "verdict"]);
  expect(fused.judged.notices).toEqual([]);
  expect(fused.judged.triton.problems()).toEqual([]);
});

const texts = (...values: readonly (string | Uint8Array)[]) => ({
  text: tensorOf("BYTES", [values.length, 1], values),
  limit: tensorOf("INT32", [values.length, 1], Array<number>(values.length).fill(9)),
});
const scores = (...rows: readonly (readonly number[])[]) => ({
  text: tensorOf(
    "BYTES",
    [rows.length, 1],
    rows.map((_, row) => `text ${row}`),
  ),
  x: tensorOf("FP32", [rows.length, 4], rows.flat()),
});
const calls: readonly FusedCallCase[] = [
  ["one text", "tokens", texts(" A text that is long ")],
  ["several texts", "tokens", texts("A", "naïve 日本", "the quick brown fox")],
  ["an output of an inner step", "tokens", texts("A", "B"), ["lowered"]],
  ["an output of the last step", "tokens", texts("A", "B"), ["input_ids"]],
  ["a row that the first step refuses", "tokens", texts("A", " ")],
  ["a text that is not UTF-8", "tokens", texts("A", Uint8Array.of(0xff))],
  ["the first step's time limit", "tokens", texts("loop")],
  ["the second step's time limit", "tokens", texts("LOOP")],
  ["scores", "verdict", scores([1, 2, 3, 0], [3, 2, 1, 0])],
  ["an inner score", "verdict", scores([1, 2, 3, 0]), ["score"]],
  ["scores that a step refuses", "verdict", scores([1, 2, 3, 0], [0, 0, 0, 1])],
];

testFused(calls, () => ({ fused, apart }));

test("in a batch of several requests, a request that a step refuses fails alone", async () => {
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      expectSameAnswers(fused.judged, {
        model: "tokens",
        inputs: new Map(Object.entries(texts(...["a", "b c", " ", "D"].slice(index % 3)))),
      }),
    ),
  );
});
