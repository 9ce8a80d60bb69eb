import { PipelineError } from "@tritype/core";
import { expect, test } from "vitest";
import type { LoadedModel, ModelRequest, ModelResult } from "../backend.ts";
import type { Scheduler } from "./scheduler.ts";
import { systemClock } from "./clock.ts";
import { createDefaultScheduler } from "./default-scheduler.ts";

const request = (id: string): ModelRequest => ({ id, inputs: new Map(), outputs: [], parameters: {} });
const done: ModelResult = { outputs: new Map() };
const schedulerOf = (model: LoadedModel): Scheduler =>
  createDefaultScheduler({ model, config: { name: "m" }, clock: systemClock, observer: {} });

/** A model whose executions end when the test says so, in the order in which they began. */
const controlled = (instances?: number) => {
  const begun: string[] = [];
  const ends: ((result: ModelResult) => void)[] = [];
  const model: LoadedModel = {
    ...(instances === undefined ? {} : { instances }),
    execute: ([one]) => {
      begun.push(one?.id ?? "");
      return new Promise((resolve) => ends.push((result) => resolve([result])));
    },
    close: () => Promise.resolve(),
  };
  return { begun, ends, model };
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("requests run in the order of their arrival, as many at a time as there are instances", async () => {
  const { begun, ends, model } = controlled(2);
  const scheduler = schedulerOf(model);
  const results = ["a", "b", "c", "d"].map((id) => scheduler.infer(request(id)));
  expect(begun).toEqual(["a", "b"]);
  ends[1]?.(done);
  await turn();
  expect(begun).toEqual(["a", "b", "c"]);
  ends[0]?.(done);
  await turn();
  ends[2]?.(done);
  ends[3]?.(done);
  expect(await Promise.all(results)).toEqual([done, done, done, done]);
});

test("a model without a fixed number of instances gets all requests immediately", () => {
  const { begun, model } = controlled();
  const scheduler = schedulerOf(model);
  void Promise.all(["a", "b", "c"].map((id) => scheduler.infer(request(id))));
  expect(begun).toEqual(["a", "b", "c"]);
});

test("a model gets as many requests in advance as it currently allows", async () => {
  const { begun, ends, model } = controlled(1);
  let room = 2;
  const scheduler = schedulerOf({ ...model, ahead: () => room });
  const results = ["a", "b", "c", "d", "e"].map((id) => scheduler.infer(request(id)));
  expect(begun).toEqual(["a", "b", "c"]);
  room = 0;
  ends[0]?.(done);
  await turn();
  expect(begun).toEqual(["a", "b", "c"]);
  room = 3;
  ends[1]?.(done);
  await turn();
  expect(begun).toEqual(["a", "b", "c", "d", "e"]);
  for (const end of ends) end(done);
  expect(await Promise.all(results)).toEqual([done, done, done, done, done]);
});

/** The model is ready once the test says so. */
const unready = (model: LoadedModel) => {
  let isReady = false;
  let changed = (): void => {};
  const onChange = (listener: () => void): void => void (changed = listener);
  const becomeReady = (): void => {
    isReady = true;
    changed();
  };
  return { becomeReady, model: { ...model, readiness: { now: () => isReady, onChange } } };
};

test("while no instance is ready, requests wait in the queue, where they can be cancelled", async () => {
  const { begun, ends, model } = controlled(1);
  const restarting = unready(model);
  const scheduler = schedulerOf(restarting.model);
  const gone = new AbortController();
  const first = scheduler.infer({ ...request("a"), signal: gone.signal });
  const second = scheduler.infer(request("b"));
  expect([begun, scheduler.waiting()]).toEqual([[], 2]);
  gone.abort();
  expect(await first).toMatchObject({ error: { code: "request/cancelled" } });
  const closing = scheduler.close();
  restarting.becomeReady();
  expect(begun).toEqual(["b"]);
  ends[0]?.(done);
  expect(await second).toBe(done);
  await closing;
});

test("close ends when the last request that waits for an instance is cancelled", async () => {
  const scheduler = schedulerOf(unready(controlled(1).model).model);
  const gone = new AbortController();
  const result = scheduler.infer({ ...request("a"), signal: gone.signal });
  const closing = scheduler.close();
  gone.abort();
  await closing;
  expect(await result).toMatchObject({ error: { code: "request/cancelled" } });
});

test("close waits for accepted requests and refuses later ones", async () => {
  const { ends, model } = controlled(1);
  const scheduler = schedulerOf(model);
  const results = ["a", "b"].map((id) => scheduler.infer(request(id)));
  let closed = false;
  const closing = scheduler.close().then(() => {
    closed = true;
  });
  expect(await scheduler.infer(request("c"))).toMatchObject({
    error: {
      code: "model/unavailable",
      message:
        "[request id: c] Server is stopping, scheduler for model has stopped accepting new inference requests",
    },
  });
  ends[0]?.(done);
  await turn();
  expect(closed).toBe(false);
  ends[1]?.(done);
  await closing;
  expect(await Promise.all(results)).toEqual([done, done]);
});

test("a model that violates its contract fails the request, not the process", async () => {
  const model = (execute: LoadedModel["execute"]): LoadedModel => ({
    instances: 1,
    execute,
    close: () => Promise.resolve(),
  });
  const thrown = new PipelineError("model/failed", "the child has ended");
  const results = [
    model(() => Promise.reject(new Error("boom"))),
    model(() => Promise.reject(thrown)),
    model(() => Promise.resolve([])),
  ].map((one) => schedulerOf(one).infer(request("")));
  expect(await Promise.all(results)).toMatchObject([
    { error: { code: "model/failed", message: "model 'm' failed: boom" } },
    { error: thrown },
    { error: { code: "model/failed", message: "model 'm' returned no response" } },
  ]);
});
