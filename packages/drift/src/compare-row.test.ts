import { type DType, type Scalar, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { compareRow, type RowComparison } from "./compare-row.ts";

interface Seen {
  readonly row: RowComparison;
  readonly absolute: readonly number[];
  readonly relative: readonly number[];
  readonly without: number;
}

const compare = (
  dtype: DType,
  reference: readonly (Scalar | Uint8Array)[],
  candidate: readonly (Scalar | Uint8Array)[],
  shape: readonly number[] = [reference.length],
): Seen => {
  const absolute: number[] = [];
  const relative: number[] = [];
  let without = 0;
  const row = compareRow(tensorOf(dtype, shape, reference), tensorOf(dtype, shape, candidate), {
    absolute: (error) => void absolute.push(error),
    relative: (error) => void relative.push(error),
    withoutRelative: () => void without++,
  });
  return { row, absolute, relative, without };
};

const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
const denormal = 2 ** -149;

test.each<[string, DType, number[], number[], number[], number[], number]>([
  ["equal numbers", "FP32", [1, -2], [1, -2], [0, 0], [0, 0], 0],
  ["zeros of both signs", "FP32", [0, -0], [-0, 0], [0, 0], [], 2],
  ["0 that becomes nonzero", "FP32", [0, 1], [0.5, 1], [0.5, 0], [0], 1],
  ["a denormal reference", "FP32", [denormal, 1], [3 * denormal, 1], [2 * denormal, 0], [0], 1],
  ["the smallest normal number", "FP32", [2 ** -126], [2 ** -125], [2 ** -126], [1], 0],
  ["half precision", "FP16", [1, 2 ** -24], [1 + 2 ** -10, 0], [2 ** -10, 2 ** -24], [2 ** -10], 1],
  ["bfloat16", "BF16", [1, 2], [1, 2 + 2 ** -6], [0, 2 ** -6], [0, 2 ** -7], 0],
  ["doubles that floats cannot tell apart", "FP64", [1], [1 + 2 ** -50], [2 ** -50], [2 ** -50], 0],
  ["the largest doubles", "FP64", [Number.MAX_VALUE], [-Number.MAX_VALUE], [inf], [inf], 0],
])("%s", (_, dtype, reference, candidate, absolute, relative, without) => {
  const seen = compare(dtype, reference, candidate);
  expect(seen).toMatchObject({ absolute, relative, without });
  expect(seen.row.maxAbsolute).toBe(Math.min(Math.max(...absolute), Number.MAX_VALUE));
});

test.each<[string, number[], number[], number, number[], number]>([
  ["NaN on both sides", [nan, 1], [nan, 1], 0, [0], 2],
  ["infinity on both sides", [inf, -inf], [inf, -inf], 0, [], 2],
  ["a number that becomes NaN", [1, 1], [nan, 1], 1, [0], 1],
  ["NaN that becomes a number", [nan, 1], [0, 1], 1, [0], 1],
  ["infinity with the opposite sign", [inf, 1], [-inf, 1], 1, [0], 1],
  ["infinity that becomes NaN", [inf, 1], [nan, 2], 1, [1], 0],
])("%s", (_, reference, candidate, mismatched, absolute, equal) => {
  const { row, absolute: seen } = compare("FP32", reference, candidate);
  expect(row.nonFinite.mismatched).toBe(mismatched);
  expect(seen).toEqual(absolute);
  expect(row.equal).toBe(equal);
  expect(row.cosine).toBeUndefined();
});

test("non-finite elements are counted for each side and treated as the worst element", () => {
  const { row } = compare("FP32", [1, inf, nan, 4], [nan, inf, nan, 9]);
  expect(row.nonFinite).toEqual({
    reference: { nan: 1, infinite: 1 },
    candidate: { nan: 2, infinite: 1 },
    mismatched: 1,
  });
  expect(row.worstElement).toEqual({ index: 0, reference: "1", candidate: "NaN" });
});

test.each<[string, DType, number[], number[], number | undefined]>([
  ["the same direction", "FP32", [1, 2], [2, 4], 1],
  ["opposite", "FP32", [1, 0], [-1, 0], -1],
  ["a right angle", "FP32", [1, 0], [0, 1], 0],
  ["zeros", "FP32", [0, 0], [0, -0], 1],
  ["zeros and a vector", "FP32", [0, 0], [1, 0], 0],
  ["one element", "FP32", [1], [2], undefined],
  ["squares that overflow", "FP64", [1e200, 0], [1e200, 1e200], Math.SQRT1_2],
  ["squares that underflow", "FP64", [1e-200, 0], [1e-200, 1e-200], Math.SQRT1_2],
  ["denormals", "FP64", [5e-324, 0], [5e-324, 5e-324], Math.SQRT1_2],
])("cosine of %s", (_, dtype, reference, candidate, cosine) => {
  const { row } = compare(dtype, reference, candidate);
  if (cosine === undefined) expect(row.cosine).toBeUndefined();
  else expect(row.cosine).toBeCloseTo(cosine, 14);
});

test("equal rows have cosine 1 and distance 0, without rounding", () => {
  const values = Array.from({ length: 300 }, (_, i) => Math.sin(i + 1));
  const { row } = compare("FP32", values, values);
  expect([row.cosine, row.distance]).toEqual([1, 0]);
});

test("the distance of two rows is relative to the reference", () => {
  expect(compare("FP32", [3, 4], [3, 4.5]).row.distance).toBeCloseTo(0.1, 7);
  expect(compare("FP32", [0, 0], [1, 0]).row.distance).toBe(Number.MAX_VALUE);
  expect(compare("FP64", [3e200, 4e200], [3e200, 4.5e200]).row.distance).toBeCloseTo(0.1, 12);
});

test.each<[string, number[], number[], number[], [number, number]]>([
  ["one position", [1, 3, 2], [1, 2, 3], [1, 3], [1, 0]],
  ["two positions", [1, 3, 9, 8], [0, 3, 8, 9], [1, 2, 2], [2, 1]],
  ["ties: the first one", [3, 3], [3, 3], [1, 2], [1, 1]],
  ["NaN before all", [nan, 3], [nan, 4], [1, 2], [1, 1]],
  ["NaN on one side", [1, 3], [nan, 3], [1, 2], [1, 0]],
  ["infinity", [1, inf], [1, inf], [1, 2], [1, 1]],
  ["a last dim of one", [1, 3], [3, 1], [1, 2, 1], [0, 0]],
  ["no elements", [], [], [0, 4], [0, 0]],
  ["no classes", [], [], [1, 0], [0, 0]],
])("top-1: %s", (_, reference, candidate, shape, expected) => {
  const { row } = compare("FP32", reference, candidate, shape);
  expect([row.positions, row.agreed]).toEqual(expected);
});

test("64-bit integers above 2^53 are compared exactly", () => {
  const big = 2n ** 53n;
  const { row, absolute } = compare("INT64", [big, -1n, 2n ** 63n - 1n], [big + 1n, -1n, -(2n ** 63n)]);
  expect(row).toMatchObject({ elements: 3, equal: 1, maxAbsolute: 2 ** 64, distance: 2 / 3 });
  expect(absolute).toEqual([1, 0, 2 ** 64]);
  expect(row.worstElement).toEqual({
    index: 2,
    reference: "9223372036854775807",
    candidate: "-9223372036854775808",
  });
  expect(compare("UINT64", [2n ** 64n - 1n], [2n ** 64n - 2n]).absolute).toEqual([1]);
});

test.each<[DType, Scalar[], Scalar[], number, number]>([
  ["INT8", [-128, 5], [127, 5], 1, 255],
  ["UINT32", [4294967295], [0], 0, 4294967295],
  ["BOOL", [true, false], [true, true], 1, 1],
])("%s", (dtype, reference, candidate, equal, maxAbsolute) => {
  expect(compare(dtype, reference, candidate).row).toMatchObject({ equal, maxAbsolute });
});

test("integers of different widths are compared by value", () => {
  const errors = { absolute: () => {}, relative: () => {}, withoutRelative: () => {} };
  const row = compareRow(tensorOf("INT64", [2], [7n, 8n]), tensorOf("INT32", [2], [7, 9]), errors);
  expect(row).toMatchObject({ elements: 2, equal: 1, maxAbsolute: 1 });
});

test.each<[string, (string | Uint8Array)[], (string | Uint8Array)[], number, unknown]>([
  ["equal text", ["a", ""], ["a", ""], 2, undefined],
  ["other text", ["a", "b"], ["a", "c"], 1, { index: 1, reference: '"b"', candidate: '"c"' }],
  ["a longer text", ["a"], ["ab"], 0, { index: 0, reference: '"a"', candidate: '"ab"' }],
  ["NUL", ["a\0"], ["a"], 0, { index: 0, reference: '"a\\u0000"', candidate: '"a"' }],
  [
    "bytes that are not UTF-8, and look alike as text",
    [Uint8Array.of(0xff)],
    [Uint8Array.of(0xfe)],
    0,
    { index: 0, reference: "bytes ff", candidate: "bytes fe" },
  ],
  [
    "a byte order mark",
    [Uint8Array.of(0xef, 0xbb, 0xbf, 97)],
    ["a"],
    0,
    { index: 0, reference: '"\uFEFFa"', candidate: '"a"' },
  ],
])("BYTES: %s", (_, reference, candidate, equal, worst) => {
  const { row } = compare("BYTES", reference, candidate);
  expect(row).toMatchObject({ equal, maxAbsolute: 0, positions: 0 });
  expect(row.worstElement).toEqual(worst);
});

test("two tensors without elements are equal", () => {
  for (const dtype of ["FP32", "INT64", "BYTES", "BOOL"] as const)
    expect(compare(dtype, [], [], [1, 0]).row).toMatchObject({ elements: 0, equal: 0, distance: 0 });
});

test("JSON that only differs in fractional numbers is measured by its numbers", () => {
  const { row, absolute, relative } = compare(
    "BYTES",
    ['{"label":"good","score":0.91}', '{"label":"good","score":0.5}', "plain"],
    ['{"label":"good","score":0.910001}', '{ "score": 0.50, "label": "good" }', "plain"],
  );
  expect(row).toMatchObject({ elements: 3, equal: 2, equalExceptNumbers: 3, json: 2 });
  expect(row.maxAbsolute).toBeCloseTo(1e-6, 12);
  expect(row.distance).toBeCloseTo(1e-6 / 0.91 / 3, 12);
  expect(absolute).toEqual([expect.closeTo(1e-6, 12), 0]);
  expect(relative).toEqual([expect.closeTo(1e-6 / 0.91, 12), 0]);
  expect(row.worstElement).toEqual({ index: 0, path: "score", reference: "0.91", candidate: "0.910001" });
});

test("JSON with another value, key or length is different, and the values that both have are measured", () => {
  const { row, absolute } = compare(
    "BYTES",
    ['{"label":"good","score":0.5}', '[{"score":0.25}]'],
    ['{"label":"bad","score":0.75}', '[{"score":0.5}]'],
  );
  expect(row).toMatchObject({ equal: 0, equalExceptNumbers: 1, distance: 1 });
  expect(absolute).toEqual([0.25, 0.25]);
  expect(row.worstElement).toEqual({ index: 0, path: "label", reference: '"good"', candidate: '"bad"' });
});

test.each<[string, string, string, object]>([
  ["a missing property", '{"b":"x"}', "{}", { path: "b", reference: '"x"', candidate: "nothing" }],
  ["a new property", "{}", '{"a b":null}', { path: '["a b"]', reference: "nothing", candidate: "null" }],
  ["an inherited name", "{}", '{"toString":1}', { path: "toString", reference: "nothing", candidate: "1" }],
  [
    "__proto__",
    '{"__proto__":0.5}',
    '{"__proto__":"x"}',
    { path: "__proto__", reference: "0.5", candidate: '"x"' },
  ],
  [
    "another length",
    '{"a":[{"b":[0.5]}]}',
    '{"a":[{"b":[0.5,0.5]}]}',
    { path: "a[0].b", reference: "a list of 1", candidate: "a list of 2" },
  ],
  ["another kind", "[]", "{}", { reference: "a list of 0", candidate: "an object" }],
  [
    "other whole numbers",
    '{"id":1234567}',
    '{"id":1234568}',
    { path: "id", reference: "1234567", candidate: "1234568" },
  ],
  [
    "whole numbers that doubles cannot tell apart",
    '{"id":9007199254740992}',
    '{"id":9007199254740993}',
    { path: "id", reference: "9007199254740992", candidate: "9007199254740993" },
  ],
  ["infinity", "[1e999]", "[0.5]", { path: "[0]", reference: "Infinity", candidate: "0.5" }],
  ["only one side is JSON", '{"a":0.5}', "a: 0.5", { reference: '"{\\"a\\":0.5}"', candidate: '"a: 0.5"' }],
])("JSON: %s is a difference", (_, reference, candidate, worst) => {
  const { row, absolute } = compare("BYTES", [reference], [candidate]);
  expect(row).toMatchObject({ equal: 0, equalExceptNumbers: 0, distance: 1, json: 1, maxAbsolute: 0 });
  expect(absolute).toEqual([]);
  expect(row.worstElement).toEqual({ index: 0, ...worst });
});

test.each([
  ["0.5", "0.50000001"],
  ['"0.5"', '"0.50000001"'],
  ["[0.5", "[0.50000001"],
  ["[0.5] ", "[0.50000001] x"],
])("text that is not a JSON object or array is compared exactly: %s, %s", (reference, candidate) => {
  expect(compare("BYTES", [reference], [candidate]).row).toMatchObject({ equal: 0, distance: 1 });
});

test("JSON may be large and deeply nested", () => {
  const list = (last: string): string => `[${"0.5,".repeat(200_000)}${last}]`;
  const { row, absolute } = compare("BYTES", [list("0.5")], [list("0.75")]);
  expect(row).toMatchObject({ maxAbsolute: 0.25, worstElement: { path: "[200000]" } });
  expect(absolute.length).toBe(200_001);
  const nested = (inside: string): string => "[".repeat(100_000) + inside + "]".repeat(100_000);
  expect(compare("BYTES", [nested("0.5")], [nested("0.75")]).row.maxAbsolute).toBe(0.25);
});
