import { expect, test } from "vitest";
import type { Call } from "../api.ts";
import { slowestOf, timelineOf } from "./timeline.ts";

const call = (id: number, parent: number, model: string, start: number, end: number): Call => ({
  id,
  parent,
  model,
  version: "1",
  start,
  end,
  executions: [],
  inputs: [],
  responses: [],
  left: 0,
  failed: false,
});
const rowsOf = (...calls: readonly Call[]) => timelineOf({ calls, left: 0 });

test("the slowest call is the one that takes longest without the calls that it waits for", () => {
  const rows = rowsOf(
    call(1, 0, "flow", 0, 12_000),
    call(2, 1, "detect", 1000, 9000),
    call(3, 1, "count", 3000, 10_000),
  );
  expect(rows.map(({ call: { model }, own }) => [model, own])).toEqual([
    ["flow", 3],
    ["detect", 8],
    ["count", 7],
  ]);
  expect(slowestOf(rows)?.call.model).toBe("detect");
});

test("a call that ends after its caller counts for the caller only until the caller's end", () => {
  expect(rowsOf(call(1, 0, "a", 0, 10_000), call(2, 1, "b", 4000, 30_000))[0]?.own).toBe(4);
});

test("the slowest call is never an ensemble, unlike a flow, which runs code between its calls", () => {
  const steps = Array.from({ length: 20 }, (_, i) => call(i + 2, 1, `step_${i}`, i * 100, i * 100 + 50));
  expect(slowestOf(rowsOf(call(1, 0, "ensemble", 0, 2000), ...steps))?.call.model).toBe("step_0");
  const ran = { start: 0, inputEnd: 1, outputStart: 1999, end: 2000, together: 1 };
  const flow = { ...call(1, 0, "flow", 0, 2000), executions: [ran] };
  expect(slowestOf(rowsOf(flow, ...steps))?.call.model).toBe("flow");
});

test("a request with one call has no slowest one", () => {
  expect(slowestOf(rowsOf(call(1, 0, "only", 0, 10)))).toBeUndefined();
});

test("calls of one caller to the same model have numbers, in the order of their start", () => {
  const calls = [
    call(1, 0, "read", 0, 100),
    call(2, 1, "detect", 5, 10),
    call(3, 1, "recognize", 30, 40),
    call(4, 1, "recognize", 10, 20),
    call(5, 4, "tidy", 11, 12),
    call(6, 3, "tidy", 31, 32),
  ];
  expect(rowsOf(...calls).map(({ name, call: { id } }) => [name, id])).toEqual([
    ["read", 1],
    ["detect", 2],
    ["recognize 1 of 2", 4],
    ["tidy", 5],
    ["recognize 2 of 2", 3],
    ["tidy", 6],
  ]);
  expect(timelineOf({ calls, left: 3 })[2]?.name).toBe("recognize 1 of 2 recorded");
});
