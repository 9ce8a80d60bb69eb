import { type DType, type TensorData, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { arrays, clean, type HandMade, image, rank, scalars } from "./hand-made.ts";
import { answerOf, type Inputs, serveBoth } from "./serve-both.ts";

const tensor = (
  dtype: DType,
  shape: readonly number[],
  ...values: readonly (number | bigint | boolean | string | Uint8Array)[]
): TensorData => tensorOf(dtype, shape, values);
const column = (
  dtype: DType,
  ...values: readonly (number | bigint | boolean | string | Uint8Array)[]
): TensorData => tensorOf(dtype, [values.length, 1], values);

/** The answers, which are the same from Node and from the emitted Python. */
const answersOf = async (made: HandMade, requests: readonly Inputs[]): Promise<readonly unknown[]> => {
  const { native, python, notices } = await serveBoth([made]);
  const { name } = made.step;
  const both = await Promise.all(
    [native, python].map((runtime) => Promise.all(requests.map((inputs) => answerOf(runtime, name, inputs)))),
  );
  expect(both[0]).toEqual(both[1]);
  expect(notices).toEqual([]);
  return both[0] ?? [];
};

test("texts are passed unchanged, and every kind of failure is reported", async () => {
  const lone = Uint8Array.of(0xed, 0xa0, 0x80);
  const answers = await answersOf(clean, [
    { text: column("BYTES", "héllo", "", "a😀b", "\ufeffx\0y") },
    { text: column("BYTES", "a😀b", "abc"), limit: column("INT32", 2, -1) },
    { text: column("BYTES", "fine", lone) },
    ...["throw", "empty", "number", "missing", "unset", "extra", "fraction", "large", "nan", "loop"].map(
      (text) => ({
        text: column("BYTES", "fine", text),
      }),
    ),
    { text: column("BYTES", "fine again") },
    // Triton only counts the inputs: an optional one may replace a required one.
    { limit: column("INT32", 2) },
  ]);
  expect(answers).toEqual([
    {
      text: ["BYTES", [4, 1], ["héllo", "", "a😀b", "\ufeffx\0y"]],
      length: ["INT32", [4, 1], [5, 0, 4, 4]],
    },
    { text: ["BYTES", [2, 1], ["a\ufffd", "ab"]], length: ["INT32", [2, 1], [2, 2]] },
    "request/invalid clean: row 1 of text is not valid UTF-8",
    "model/failed clean: row 1: RangeError: no throw 😀 (run, line 4, in pipeline.ts)",
    "model/failed clean: row 1: Error (run, line 6, in pipeline.ts)",
    "model/failed clean: row 1: output text has a value that is not a string",
    "model/failed clean: row 1: output length is missing",
    "model/failed clean: row 1: output text is missing",
    "model/failed clean: row 1: output end is not declared",
    "model/failed clean: row 1: output length has a value that is not a whole number from -2147483648 to 2147483647",
    "model/failed clean: row 1: output length has a value that is not a whole number from -2147483648 to 2147483647",
    "model/failed clean: row 1: output length has a value that is not a whole number from -2147483648 to 2147483647",
    "model/failed clean: the request took longer than 0.3 s",
    { text: ["BYTES", [1, 1], ["fine again"]], length: ["INT32", [1, 1], [10]] },
    "request/invalid clean: input text is missing",
  ]);
});

test("scalars of every family are passed and returned", async () => {
  const answers = await answersOf(scalars, [
    {
      b: tensor("BOOL", [2, 1], true, false),
      i: column("INT64", 3n, -3000000000n),
      n: column("UINT8", 0, 255),
      h: tensor("FP16", [2, 1], 0.1, -65504),
      f: column("FP32", 0.1, 3e38),
    },
    {
      b: tensor("BOOL", [1, 1], true),
      i: column("INT64", 3037000500n),
      n: column("UINT8", 1),
      h: tensor("FP16", [1, 1], -0),
      f: column("FP32", Number.NaN),
    },
    {
      b: tensor("BOOL", [1, 1], true),
      i: column("INT64", 3037000499n),
      n: column("UINT8", 1),
      h: tensor("FP16", [1, 1], -0),
      f: column("FP32", Number.NaN),
    },
  ]);
  expect(answers.slice(1, 2)).toEqual([
    "model/failed scalars: row 0: output i has a value that is not a bigint from -9223372036854775808 to 9223372036854775807",
  ]);
  expect(answers[0]).toMatchObject({
    i: ["INT64", [2, 1], [9n, 9000000000000000000n]],
    f: ["FP32", [2, 1], [Math.fround(Math.fround(0.1) * 3), Infinity]],
  });
});

test("sizes of arrays are compared", async () => {
  const request = (seq: number, ...n: readonly number[]): Inputs => ({
    ids: tensor("INT64", [n.length, seq], ...Array.from({ length: n.length * seq }, (_, i) => i % 3)),
    words: tensor("BYTES", [n.length, 2], ...n.flatMap((each) => [`a${each}`, "é"])),
    flags: tensor("BOOL", [n.length, seq], ...Array.from({ length: n.length * seq }, (_, i) => i % 2 === 0)),
    n: tensor("INT32", [n.length, 1], ...n),
  });
  const answers = await answersOf(arrays, [
    request(3, 2, 2),
    request(1, 0),
    request(3, 2, 3),
    ...[6, 7, 8, 9].map((n) => request(3, 0, n)),
    { ...request(3, 1), flags: tensor("BOOL", [1, 2], true, false) },
  ]);
  expect(answers[0]).toEqual({
    mask: ["INT64", [2, 3], [0n, 1n, 1n, 0n, 1n, 1n]],
    words: ["BYTES", [2, 2], ["é", "a2", "é", "a2"]],
    tail: ["FP32", [2, 2], Array(4).fill(Math.fround(0.1))],
    flags: ["BOOL", [2, 3], [true, false, true, false, true, false]],
  });
  expect(answers.slice(2)).toEqual([
    "model/failed arrays: row 1: output tail has shape [3], wanted [2]",
    "model/failed arrays: row 1: output mask has shape [4], wanted [3]",
    "model/failed arrays: row 1: output mask is not an array",
    "model/failed arrays: row 1: output mask has a value that is not a bigint",
    expect.objectContaining({ tail: ["FP32", [2, 0], []] }),
    "request/invalid arrays: input flags has shape [1, 2], wanted [1, 3]",
  ]);
});

test("elements are returned with their shape", async () => {
  const request = (h: number, w: number): Inputs => ({
    image: tensor("UINT8", [2, h, w, 3], ...Array.from({ length: 2 * h * w * 3 }, (_, i) => i)),
  });
  expect(await answersOf(image, [request(2, 1), request(3, 1), request(4, 1), request(5, 1)])).toEqual([
    { gray: ["UINT8", [2, 2, 1], [0, 3, 6, 9]] },
    "model/failed image: row 0: output gray has shape [3, 1, 3], wanted [3, 1]",
    "model/failed image: row 0: output gray has 12 elements for shape [1]",
    "model/failed image: row 0: output gray is not { data, shape }",
  ]);
});

test("a function of whole requests gets all rows", async () => {
  const request = (n: number, ...names: readonly string[]): Inputs => ({
    score: tensor(
      "FP32",
      [names.length, n],
      ...Array.from({ length: n * names.length }, (_, i) => (i * 7) % 5),
    ),
    name: column("BYTES", ...names),
  });
  expect(await answersOf(rank, [request(3, "a", "b"), request(4, "a"), request(5, "a", "b")])).toEqual([
    { best: ["INT32", [2, 1], [2, 1]], name: ["BYTES", [2, 1], ["a", "b"]] },
    "model/failed rank: Error: four (run, line 4, in pipeline.ts)",
    "model/failed rank: output best has shape [1, 1], wanted [2, 1]",
  ]);
});
