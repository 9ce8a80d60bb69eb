import { expect, test } from "vitest";
import type { Call } from "../api.ts";
import { call } from "./view.fixture.ts";
import { failureText, isStream, slowestOf, timelineOf } from "./timeline.ts";

const none = () => false;
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
  expect(slowestOf(rows, none)?.call.model).toBe("detect");
});

test("a call that ends after its caller counts for the caller only until the caller's end", () => {
  expect(rowsOf(call(1, 0, "a", 0, 10_000), call(2, 1, "b", 4000, 30_000))[0]?.own).toBe(4);
});

test("a request with one call has no slowest one", () => {
  expect(slowestOf(rowsOf(call(1, 0, "only", 0, 10)), none)).toBeUndefined();
});

test.each([
  [[], 1, undefined],
  [[{ after: 0, at: 10 }], 0, "failed"],
  [[{ after: 0, at: 10 }], 1, "failed before the first response"],
  [[{ after: 2, at: 10 }], 2, "failed after response 2"],
  [
    [
      { after: 2, at: 10 },
      { after: 2, at: 20 },
    ],
    2,
    "2 errors, the first after response 2",
  ],
] as const)("errors %j, %d responses: %s", (errors, count, text) => {
  const responses = Array.from({ length: count }, () => []);
  const [row] = rowsOf({ ...call(1, 0, "words", 0, 40), failed: errors.length > 0, errors, responses });
  expect(row && failureText(row)).toBe(text);
  expect(row?.errors.map(({ at }) => at)).toEqual(errors.map(({ at }) => at / 40));
});

test.each([
  [1, 0, 0, false],
  [0, 0, 1, false],
  [2, 0, 0, true],
  [1, 1, 0, true],
  [1, 0, 1, true],
  [0, 0, 2, true],
])("%d responses, %d that are not recorded and %d errors: a stream %s", (count, left, failures, stream) => {
  const [row] = rowsOf({
    ...call(1, 0, "words", 0, 40),
    responses: Array.from({ length: count }, () => []),
    left,
    errors: Array.from({ length: failures }, () => ({ after: 0, at: 1 })),
  });
  expect(row && isStream(row)).toBe(stream);
});

test("an ensemble with recorded steps is never the slowest, however long it takes between them", () => {
  const isEnsemble = (model: string) => model === "chain" || model === "inner";
  const steps = Array.from({ length: 200 }, (_, i) =>
    call(i + 2, 1, `step${i}`, i * 2800, i * 2800 + (i === 120 ? 400 : 300)),
  );
  const rows = rowsOf(call(1, 0, "chain", 0, 564_000), ...steps);
  expect(rows[0]?.own).toBeGreaterThan(500);
  expect(slowestOf(rows, isEnsemble)?.call.model).toBe("step120");
  expect(slowestOf(rows, none)?.call.model).toBe("chain");
  const nested = [call(1, 0, "chain", 0, 9000), call(2, 1, "inner", 1000, 8000)];
  expect(slowestOf(rowsOf(...nested, call(3, 2, "a", 2000, 2100)), isEnsemble)?.call.model).toBe("a");
  expect(slowestOf(rowsOf(...nested), isEnsemble)?.call.model).toBe("inner");
});

test("responses have their place in the whole request, and their time since the call began", () => {
  const stream = { ...call(2, 1, "words", 1000, 9000), responseTimes: [2000, 4000, 8500] };
  expect(rowsOf(call(1, 0, "spoken", 0, 10_000), stream)[1]?.arrivals).toEqual([
    { at: 0.2, after: 1 },
    { at: 0.4, after: 3 },
    { at: 0.85, after: 7.5 },
  ]);
});

test("the parts of a call end with it, even if its model runs on after the last response", () => {
  const execution = { start: 10, inputEnd: 20, outputStart: 90, end: 300, together: 1 };
  const [row] = rowsOf({ ...call(1, 0, "words", 0, 80), executions: [execution] });
  expect(row?.parts.map(({ kind, to }) => [kind, to])).toEqual([
    ["queue", 0.125],
    ["input", 0.25],
    ["compute", 1],
    ["output", 1],
  ]);
  expect(row?.spent).toEqual({ queue: 0.01, input: 0.01, compute: 0.06, output: 0 });
});

test("calls of one caller to the same model are numbered in the order in which they start", () => {
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
