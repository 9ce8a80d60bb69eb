import { type NamedTensors, type Scalar, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import type { Call, Content, Recording } from "../api.ts";
import { contentOf, contentsOf } from "../contents.ts";
import { compareContents } from "./compare-contents.ts";
import { compareRecordings, firstDifference, inputsOf, pathOf } from "./compare-recordings.ts";

const x = (...values: readonly number[]): NamedTensors =>
  new Map([["x", tensorOf("FP32", [values.length], values)]]);

/** A call that starts at the time given by its id. */
const call = (
  id: number,
  parent: number,
  model: string,
  inputs: NamedTensors,
  ...responses: readonly NamedTensors[]
): Call => ({
  id,
  parent,
  model,
  version: "1",
  start: id,
  end: id + 1,
  executions: [],
  inputs: contentsOf(inputs),
  responses: responses.map(contentsOf),
  responseTimes: [],
  left: 0,
  failed: responses.length === 0,
});
const recording = (...calls: readonly Call[]): Recording => ({ calls, left: 0 });

const compare = (one: Recording, other: Recording, tolerance = 1e-5) =>
  compareRecordings(one, other, {
    names: ["this", "that"],
    compare: (a, b) => compareContents(a, b, tolerance),
  });
/** Every part as a line: what differs in it. */
const lines = (one: Recording, other: Recording): readonly string[] =>
  compare(one, other).map(({ depth, model, kind, response, tensors, problem }) =>
    [
      `${"  ".repeat(depth)}${model} ${kind}${response === undefined ? "" : ` ${response}`}`,
      ...tensors.map(({ comparison: { name, ok, maxAbsolute, problem: why } }) =>
        ok ? `${name} ok` : `${name} ${why ?? maxAbsolute}`,
      ),
      ...(problem === undefined ? [] : [problem]),
    ].join(", "),
  );

/** `whole` calls `a`, then `b`, whose answer is the whole answer. */
const chain = (afterA: number, afterB: number): Recording =>
  recording(
    call(1, 0, "whole", x(1), x(afterB)),
    call(2, 1, "a", x(1), x(afterA)),
    call(3, 1, "b", x(afterA), x(afterB)),
  );

test("parts are in the order of the computation, so the first difference is where the fault began", () => {
  const parts = compare(chain(2, 4), chain(2.5, 5));
  expect(lines(chain(2, 4), chain(2.5, 5))).toEqual([
    "whole got, x ok",
    "  a got, x ok",
    "  a gave, x 0.5",
    "  b got, x 0.5",
    "  b gave, x 1",
    "whole gave, x 1",
  ]);
  const first = firstDifference(parts);
  expect([first?.part.model, first?.part.kind, first?.tensor?.comparison.name]).toEqual(["a", "gave", "x"]);
  expect(first && inputsOf(first.part, parts).map(({ comparison }) => comparison.ok)).toEqual([true]);
  expect(firstDifference(compare(chain(2, 4), chain(2, 4)))).toBeUndefined();
});

test("a difference within the tolerance is not reported as the first", () => {
  const first = firstDifference(compare(chain(2.000001, 5), chain(2, 4)));
  expect(first?.part.model).toBe("b");
});

test("parallel calls of one model are paired by their inputs, whichever started first", () => {
  const parallel = (first: number, second: number): Recording =>
    recording(
      call(1, 0, "whole", x(1, 2), x(0)),
      call(2, 1, "a", x(first), x(first * 10)),
      call(3, 1, "a", x(second), x(second * 10)),
    );
  expect(firstDifference(compare(parallel(1, 2), parallel(2, 1)))).toBeUndefined();
});

/** `left` and `right` call `m`, and run at the same time. */
const callers = (first: "left" | "right", last: number): Recording => {
  const second = first === "left" ? "right" : "left";
  const giveOf = (caller: string): number => (caller === "right" ? last : 10);
  return recording(
    call(1, 0, "whole", x(1), x(0)),
    call(2, 1, first, x(1), x(giveOf(first))),
    call(3, 1, second, x(1), x(giveOf(second))),
    ...[first, second].map((caller, index) => call(4 + index, 2 + index, "m", x(1), x(giveOf(caller)))),
  );
};

test("calls of one model under different callers are paired by their callers, and named with them", () => {
  expect(firstDifference(compare(callers("left", 20), callers("right", 20)))).toBeUndefined();
  const first = firstDifference(compare(callers("left", 20), callers("right", 21)));
  expect([first && pathOf(first.part), first?.part.kind, first?.tensor?.comparison.maxAbsolute]).toEqual([
    "right → m",
    "gave",
    1,
  ]);
});

test("several calls of one caller to one model have numbers", () => {
  const calls = [1, 2, 3].map((value) => call(value + 1, 1, "m", x(value), x(value)));
  const one = recording(call(1, 0, "whole", x(1), x(0)), ...calls);
  const other = recording(...one.calls.slice(0, 3), call(4, 1, "m", x(3), x(9)));
  const first = firstDifference(compare(one, other));
  expect(first && pathOf(first.part)).toBe("m 3 of 3");
});

test("calls of different requests are paired in their order", () => {
  const twice = (input: number): Recording =>
    recording(call(1, 0, "a", x(input), x(input * 2)), call(2, 0, "a", x(input * 2), x(input * 4)));
  expect(lines(twice(1), twice(2))).toEqual(["a got, x 1", "a gave, x 2", "a got, x 2", "a gave, x 4"]);
});

test("a call that is missing on one side is a separate difference", () => {
  const short = recording(call(1, 0, "whole", x(1), x(4)), call(3, 1, "b", x(2), x(4)));
  expect(lines(chain(2, 4), short)).toEqual([
    "whole got, x ok",
    "  a got, only in this",
    "  b got, x ok",
    "  b gave, x ok",
    "whole gave, x ok",
  ]);
  expect(lines(short, chain(2, 4))).toContain("  a got, only in that");
  expect(firstDifference(compare(short, chain(2, 4)))).toMatchObject({ part: { model: "a" } });
});

test("failures, missing tensors and different numbers of responses are reported as differences", () => {
  const failed = recording(call(1, 0, "a", x(1)));
  expect(lines(failed, recording(call(1, 0, "a", x(1), x(1))))).toEqual([
    "a got, x ok",
    "a gave, x only in that, failed only in this",
  ]);
  const stream = (...answers: readonly NamedTensors[]): Recording =>
    recording(call(1, 0, "a", x(1), ...answers));
  expect(lines(stream(x(1), x(2)), stream(x(1)))).toEqual([
    "a got, x ok",
    "a gave 1, x ok",
    "a gave 2, x only in this, 2 responses in this, 1 in that",
  ]);
});

test("streams that fail at different places are different", () => {
  const failing = (after: number): Recording =>
    recording({ ...call(1, 0, "a", x(1), x(1)), failed: true, errors: [{ after, at: 1 }] });
  expect(lines(failing(1), failing(1))).toEqual(["a got, x ok", "a gave, x ok"]);
  expect(lines(failing(1), failing(0))).toEqual([
    "a got, x ok",
    "a gave, x ok, failed after response 1 in this, before the first response in that",
  ]);
});

const content = (
  dtype: "FP32" | "INT32" | "INT64" | "BOOL" | "BYTES",
  shape: readonly number[],
  values: readonly Scalar[],
): Content => contentOf("x", tensorOf(dtype, shape, values));
const problem = (got: Content, wanted: Content): string | number | undefined => {
  const { ok, problem: why, maxAbsolute } = compareContents(got, wanted, 1e-5);
  return ok ? why : (why ?? maxAbsolute);
};
const long = (last: number): Content =>
  content(
    "FP32",
    [5000],
    Array.from({ length: 5000 }, (_, i) => (i === 4999 ? last : 1)),
  );

test.each([
  ["NaN", content("FP32", [2], [Number.NaN, 1]), content("FP32", [2], [Number.NaN, 1]), undefined],
  ["infinity", content("FP32", [1], [Infinity]), content("FP32", [1], [Infinity]), undefined],
  ["infinity and a number", content("FP32", [1], [-1e9]), content("FP32", [1], [-Infinity]), Infinity],
  ["infinity and NaN", content("FP32", [1], [Number.NaN]), content("FP32", [1], [Infinity]), Infinity],
  ["NaN and a number", content("FP32", [1], [Number.NaN]), content("FP32", [1], [1]), Infinity],
  ["integers", content("INT32", [1], [1_000_001]), content("INT32", [1], [1_000_000]), 1],
  ["64 bits", content("INT64", [1], [2n ** 60n + 1n]), content("INT64", [1], [2n ** 60n]), 1],
  ["flags", content("BOOL", [2], [true, false]), content("BOOL", [2], [true, true]), 1],
  ["shapes", content("FP32", [1, 2], [1, 2]), content("FP32", [2], [1, 2]), "shape [1, 2], not [2]"],
  ["dtypes", content("FP32", [1], [1]), content("BYTES", [1], ["1"]), "FP32, not BYTES"],
  ["no elements", content("FP32", [0], []), content("FP32", [0], []), undefined],
  ["texts", content("BYTES", [1], ["a"]), content("BYTES", [1], ["b"]), 'element 0 is "a", not "b"'],
  [
    "integers beyond 2^53 in JSON",
    content("BYTES", [1], ['{"id":12345678901234567890}']),
    content("BYTES", [1], ['{"id":12345678901234567891}']),
    String.raw`element 0 is "{\"id\":12345678901234567890}", not "{\"id\":12345678901234567891}"`,
  ],
  ["JSON", content("BYTES", [1], ["[0.5]"]), content("BYTES", [1], ["[0.5000001]"]), undefined],
  ["long tensors", long(1), long(1), undefined],
  [
    "the rest of long tensors",
    long(1),
    long(900),
    "the first 4096 elements are equal, but a later one is not",
  ],
  [
    "values that were not recorded",
    { ...content("FP32", [1], [1]), missing: "too large" },
    content("FP32", [1], [1]),
    "not recorded",
  ],
])("%s", (_, got, wanted, expected) => {
  expect(problem(got, wanted)).toBe(expected);
});
