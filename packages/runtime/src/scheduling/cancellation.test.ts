import type { ModelConfig, ModelQueuePolicy } from "@tritype/triton";
import { describe, expect, test } from "vitest";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import { createEnsemble } from "../ensemble/ensemble-model.ts";
import { createScheduler } from "./create-scheduler.ts";
import { simulatedClock } from "./simulated-clock.fixture.ts";

const request = (id: string, signal?: AbortSignal): ModelRequest => ({
  id,
  inputs: new Map(),
  outputs: [],
  parameters: {},
  signal,
});
const done: ModelResult = { outputs: new Map() };
const refused = {
  error: { code: "request/cancelled", message: "[request id: b] Request was cancelled" },
};

function batcher(default_queue_policy: ModelQueuePolicy): ModelConfig {
  return { name: "m", dynamic_batching: { default_queue_policy } };
}

describe.each<[string, ModelConfig]>([
  ["the default scheduler", { name: "m" }],
  ["the dynamic batcher", { name: "m", dynamic_batching: {} }],
  ["the dynamic batcher with a timeout", batcher({ default_timeout_microseconds: 1_000_000 })],
  [
    "the dynamic batcher whose late requests wait",
    batcher({ timeout_action: "DELAY", default_timeout_microseconds: 5 }),
  ],
])("%s", (_, config) => {
  /** An instance that runs one request at a time, until the test ends it. */
  const opened = () => {
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const clock = simulatedClock();
    let cancelled = 0;
    const model: LoadedModel = {
      instances: 1,
      execute: (requests) => {
        begun.push(...requests.map(({ id }) => id));
        return new Promise((resolve) => ends.push(() => resolve(requests.map(() => done))));
      },
      close: () => Promise.resolve(),
    };
    const observer = { cancelled: () => void cancelled++ };
    const scheduler = createScheduler({ model, config, clock, observer });
    return { begun, ends, clock, scheduler, count: () => cancelled };
  };

  test("a waiting request leaves the queue immediately", async () => {
    const { begun, ends, clock, scheduler, count } = opened();
    const gone = new AbortController();
    const [a, b, c] = [request("a"), request("b", gone.signal), request("c")].map(scheduler.infer);
    await clock.advance(10);
    gone.abort();
    expect(await b).toMatchObject(refused);
    expect([begun, scheduler.waiting(), count()]).toEqual([["a"], 1, 1]);
    ends[0]?.();
    await clock.advance(20);
    ends[1]?.();
    expect([await a, await c, begun, count()]).toEqual([done, done, ["a", "c"], 1]);
  });

  test("a running request still gets its response", async () => {
    const { ends, clock, scheduler, count } = opened();
    const gone = new AbortController();
    const a = scheduler.infer(request("a", gone.signal));
    await clock.advance(10);
    gone.abort();
    ends[0]?.();
    expect([await a, count()]).toEqual([done, 0]);
  });

  test("a request that was cancelled before it arrived does not wait", async () => {
    const { begun, scheduler, count } = opened();
    expect(await scheduler.infer(request("b", AbortSignal.abort()))).toMatchObject(refused);
    expect([begun, count()]).toEqual([[], 1]);
  });

  test("close does not wait for cancelled requests", async () => {
    const { ends, clock, scheduler } = opened();
    const gone = new AbortController();
    void scheduler.infer(request("a"));
    const b = scheduler.infer(request("b", gone.signal));
    await clock.advance(10);
    const closed = scheduler.close();
    gone.abort();
    ends[0]?.();
    await clock.advance(20);
    await closed;
    expect(await b).toMatchObject(refused);
  });
});

test("an ensemble starts no step after its cancellation", async () => {
  const step = (model_name: string, from: string, to: string) => ({
    model_name,
    model_version: -1,
    input_map: { X: from },
    output_map: { Y: to },
  });
  const begun: string[] = [];
  const gone = new AbortController();
  const tensor = { dtype: "FP32", shape: [1], data: new Uint8Array(4) } as const;
  const ensemble = createEnsemble(
    {
      name: "e",
      platform: "ensemble",
      output: [{ name: "OUT", data_type: "TYPE_FP32", dims: [1] }],
      ensemble_scheduling: { step: [step("first", "IN", "mid"), step("second", "mid", "OUT")] },
    },
    {
      config: (name) => ({ name, input: [{ name: "X", data_type: "TYPE_FP32", dims: [1] }] }),
      infer: async ({ model }, { signal }) => {
        expect(signal).toBe(gone.signal);
        begun.push(model);
        gone.abort();
        return { response: { model, version: "1", id: "", outputs: new Map([["Y", tensor]]) } };
      },
      stream: () => {
        throw new Error("no member is decoupled");
      },
    },
  );
  const [result] = await ensemble.execute([
    { ...request("b", gone.signal), inputs: new Map([["IN", tensor]]), outputs: ["OUT"] },
  ]);
  expect(begun).toEqual(["first"]);
  expect(result).toMatchObject({ error: { code: "request/cancelled" } });
});
