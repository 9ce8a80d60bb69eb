import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { tellError } from "./tell-error.ts";

const thrown = (stack: string): Error => Object.assign(new TypeError("no number"), { stack });

test.each([
  ["at run (file:///m%20%231/1/run.mjs:2:18)", "run.mjs:2:18"],
  ["at Object.run (/m #1/1/src/clean (old).ts:12:5)", "src/clean (old).ts:12:5"],
  ["at /m #1/1/pipeline.ts:3:4", "pipeline.ts:3:4"],
  [
    "at async Promise.all (index 0)\n    at fetch (node:internal:1:1)\n    at x (/m #1/1/a.ts:1:2)",
    "a.ts:1:2",
  ],
  ["at eval (eval at make (/m #1/1/run.mjs:9:2), <anonymous>:3:1)\n    at x (/m #1/1/a.ts:8:2)", "a.ts:8:2"],
  ["at __helper (file:///m%20%231/1/run.mjs:6:9)\n    at x (/m #1/1/a.ts:9:2)", "a.ts:9:2"],
  ["at parse (/m #1/1/node_modules/p/i.js:1:1)\n    at x (/m #1/1/a.ts:7:2)", "a.ts:7:2"],
])("finds the author's line in `%s`", (frames, place) => {
  expect(tellError(thrown(`TypeError: no\n    number\n    ${frames}`), "/m #1/1")).toBe(
    `TypeError: no number (${place})`,
  );
});

test("accepts errors without a line of the author's code, and thrown values that are not errors", () => {
  const host = thrown("TypeError: no number\n    at x (file:///m%20%231/1/host.mjs:1:1)\n    at node:fs:1:1");
  expect(tellError(host, "/m #1/1")).toBe("TypeError: no number");
  expect(tellError("text", "/m")).toBe('"text" was thrown');
  expect(tellError(undefined, "/m")).toBe("undefined was thrown");
  expect(tellError(Object.create(null), "/m")).toBe("[Object: null prototype] {} was thrown");
  expect(tellError({ code: 1n, at: [2] }, "/m")).toBe("{ code: 1n, at: [ 2 ] } was thrown");
  expect(tellError(Object.assign(new Error(""), { stack: undefined }), "/m")).toBe("Error");
});

test("an error of another context is an error", () => {
  const far: unknown = runInNewContext(
    "Object.assign(new RangeError('far'), { stack: 'at x (/m/a.ts:1:2)' })",
  );
  expect(tellError(far, "/m")).toBe("RangeError: far");
  expect(tellError(new AggregateError([far], "both"), "/m")).toMatch(
    /^AggregateError: both; RangeError: far/,
  );
});

test("tells the errors that Promise.any has collected", async () => {
  const calls = ["a", "b", "c", "d"].map(async (name) => Promise.reject(new RangeError(name)));
  const error: unknown = await Promise.any(calls).catch((given: unknown) => given);
  expect(tellError(error, "/m")).toBe(
    "AggregateError: All promises were rejected; RangeError: a; RangeError: b; RangeError: c",
  );
});

test("an error without a line of the author's has that of an error that it has collected, or of a cause", () => {
  const node = "TypeError: no number\n    at fetch (node:internal:1:1)";
  const cause = thrown(`TypeError: no number\n    at x (/m #1/1/a.ts:1:2)`);
  const failed = Object.assign(thrown(node), { cause: Object.assign(thrown(node), { cause }) });
  expect(tellError(failed, "/m #1/1")).toBe("TypeError: no number (a.ts:1:2)");
  const all = new AggregateError([1, thrown(node), cause], "All promises were rejected");
  expect(tellError(Object.assign(all, { stack: "" }), "/m #1/1")).toBe(
    "AggregateError: All promises were rejected; 1; TypeError: no number; TypeError: no number (a.ts:1:2)",
  );
  const own = Object.assign(thrown(node), { cause: {} });
  own.cause = own;
  expect(tellError(own, "/m #1/1")).toBe("TypeError: no number");
});

/** An error of Node's permission model, thrown where these frames start a thread. */
const deniedThread = (...frames: readonly string[]) =>
  Object.assign(
    thrown(["Error: denied", "at new Worker (node:internal/worker:1:1)", ...frames].join("\n    ")),
    { code: "ERR_ACCESS_DENIED", permission: "WorkerThreads" },
  );

test.each([
  "at start (/m/1/node_modules/thread-stream/index.js:5:9)",
  "at start (/m/1/node_modules/.pnpm/thread-stream@3.1.0/node_modules/thread-stream/index.js:5:9)",
])(
  "a worker thread that a package starts is refused with the form of the package that works: %s",
  (frame) => {
    const denied = deniedThread("at Reflect.construct (<anonymous>)", frame, "at run (/m/1/a.ts:1:2)");
    expect(tellError(denied, "/m/1")).toBe(
      'TypeError: the function starts a worker thread through the npm package "thread-stream", which is not allowed; use the package in a form that needs none, such as pino without `transport` (a.ts:1:2)',
    );
  },
);

test("a worker thread that the author's callback starts is not the package's that calls it", () => {
  const denied = deniedThread("at run (/m/1/a.ts:1:2)", "at each (/m/1/node_modules/lodash/each.js:5:9)");
  expect(tellError(denied, "/m/1")).toBe(
    'TypeError: the function starts a worker thread, which is not allowed; add `instanceGroup: [{ kind: "cpu", count: 2 }]` to the step: each instance is a process (a.ts:1:2)',
  );
});
