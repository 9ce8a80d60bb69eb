import { PipelineError } from "@tritype/core";
import { expect, test } from "vitest";
import { fp32, identityModel, onnxFiles } from "../fixtures/onnx-models.ts";
import { floats, infer, refusal, served } from "../fixtures/served.ts";
import { createStatisticsRecorder } from "./model-statistics.ts";

const done = { outputs: new Map(), times: { input: 1, infer: 20, output: 2 } };
const failed = { error: new PipelineError("model/failed", "no") };

test("an execution is counted with its batch size, and a request with its whole duration, but only on success", () => {
  const recorder = createStatisticsRecorder(() => 1_234);
  recorder.executed(
    [
      { batchSize: 2, queued: 5, result: done },
      { batchSize: 1, queued: 7, result: done },
    ],
    30,
  );
  recorder.executed([{ batchSize: 3, queued: 0, result: { outputs: new Map() } }], 40);
  recorder.executed([{ batchSize: 8, queued: 9, result: failed }], 50);
  recorder.answered(100, 0);
  recorder.answered(200, 1);
  recorder.rejected(1);
  expect(recorder.snapshot()).toEqual({
    last_inference: 1_234,
    inference_count: 6,
    execution_count: 2,
    inference_stats: {
      success: { count: 1, ns: 100_000 },
      fail: { count: 1, ns: 200_000 },
      queue: { count: 3, ns: 12_000 },
      compute_input: { count: 3, ns: 2_000 },
      compute_infer: { count: 3, ns: 80_000 },
      compute_output: { count: 3, ns: 4_000 },
      cache_hit: { count: 0, ns: 0 },
      cache_miss: { count: 0, ns: 0 },
    },
    response_stats: {},
    batch_stats: [
      {
        batch_size: 3,
        compute_input: { count: 2, ns: 1_000 },
        compute_infer: { count: 2, ns: 60_000 },
        compute_output: { count: 2, ns: 2_000 },
      },
    ],
    memory_usage: [],
  });
  expect([...recorder.failures()]).toEqual([
    ["BACKEND", 1],
    ["REJECTED", 1],
  ]);
});

test("each version of a runtime is counted separately", async () => {
  const runtime = await served(
    onnxFiles("m", identityModel("FP32", "batch", 2), {
      maxBatchSize: 4,
      inputs: [fp32("X", 2)],
      outputs: [fp32("Y", 2)],
      extra: "dynamic_batching { }\ninstance_group [ { count: 1 kind: KIND_CPU } ]",
    }),
  );
  const X = floats([2, 2], 1, 2, 3, 4);
  await Promise.all([infer(runtime, "m", { X }), infer(runtime, "m", { X })]);
  expect(await refusal(infer(runtime, "m", { X: floats([1, 3], 1, 2, 3) }))).toMatch(/unexpected shape/);
  const [only, ...others] = runtime.statistics("m");
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    name: "m",
    version: "1",
    inference_count: 4,
    execution_count: 1,
    pending: 0,
    inference_stats: { success: { count: 2 }, fail: { count: 0 } },
    batch_stats: [{ batch_size: 4, compute_infer: { count: 1 } }],
  });
  expect(() => runtime.statistics("n")).toThrow("requested model 'n' is not available");
});

test("time spent waiting for the instance counts as queue time", () => {
  const recorder = createStatisticsRecorder(() => 1_234);
  const result = { ...done, times: { ...done.times, waited: 4 } };
  recorder.executed([{ batchSize: 1, queued: 3, result }], 30);
  expect(recorder.snapshot().inference_stats.queue).toEqual({ count: 1, ns: 7_000 });
});

test("percentiles are recorded from the first query on", () => {
  const recorder = createStatisticsRecorder(() => 1_234);
  recorder.answered(5_000, 0);
  expect(recorder.recentLatency([0.5])).toEqual([[0.5, Number.NaN]]);
  for (let i = 1; i <= 100; i++) recorder.answered(i * 1000, 0);
  recorder.answered(9_000_000, 1);
  const milliseconds = recorder.recentLatency([0.5, 0.99]).map(([, value]) => value / 1000);
  expect(milliseconds[0]).toBeCloseTo(50, 0);
  expect(milliseconds[1]).toBeCloseTo(99, 0);
  expect(recorder.summaries()).toBeUndefined();
});
