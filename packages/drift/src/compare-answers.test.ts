import { type DType, type NamedTensors, type Scalar, tensorOf } from "@tritype/core";
import { expect, test } from "vitest";
import { compareAnswers } from "./compare-answers.ts";
import type { DriftLimitsByOutput } from "./drift-limits.ts";
import { judgeDrift, showNumber } from "./judge-drift.ts";
import type { TensorDrift } from "./tensor-drift.ts";

const answer = (
  tensors: Readonly<Record<string, readonly [DType, readonly number[], readonly Scalar[]]>>,
): NamedTensors =>
  new Map(
    Object.entries(tensors).map(([name, [dtype, shape, values]]) => [name, tensorOf(dtype, shape, values)]),
  );

const drift = (
  pairs: readonly (readonly [NamedTensors, NamedTensors])[],
  batched = true,
): readonly TensorDrift[] => {
  const comparison = compareAnswers();
  let example = 0;
  for (const [reference, candidate] of pairs) {
    const rows = batched ? ([...reference.values()][0]?.shape[0] ?? 0) : 1;
    comparison.add(
      Array.from({ length: rows }, () => example++),
      reference,
      candidate,
      batched,
    );
  }
  return comparison.summarize();
};

const y = (...rows: readonly (readonly number[])[]): NamedTensors =>
  answer({ y: ["FP32", [rows.length, rows[0]?.length ?? 2], rows.flat()] });

const texts = (tensors: readonly TensorDrift[], limits: DriftLimitsByOutput = {}): readonly string[] =>
  judgeDrift(tensors, limits).map(({ output, text }) => `${output}: ${text}`);

test("rows from several answers form one comparison, and the worst rows come first with their positions", () => {
  const [only] = drift([
    [y([1, 0], [0, 1]), y([1, 0], [0.5, 1])],
    [y([1, 1]), y([1, 0])],
  ]);
  expect(only).toMatchObject({ rows: 3, equalRows: 1, elements: 6, equalElements: 4 });
  expect(only?.absolute).toMatchObject({ count: 6, max: 1, mean: 0.25 });
  expect(only?.top1).toEqual({ positions: 3, agreed: 3 });
  expect(only?.worst.map(({ example }) => example)).toEqual([2, 1]);
  expect(only?.cosine?.min).toBeCloseTo(Math.SQRT1_2, 12);
});

test("an answer without a batch counts as one row", () => {
  const one = answer({ y: ["FP32", [2, 2], [1, 2, 3, 4]] });
  expect(drift([[one, one]], false)[0]).toMatchObject({ rows: 1, equalRows: 1, elements: 4 });
});

test("empty batches have nothing to compare, and a limit reports that", () => {
  const none = answer({ y: ["FP32", [0, 2], []] });
  const tensors = drift([[none, none]]);
  expect(tensors[0]).toMatchObject({ rows: 0, elements: 0, absolute: undefined, cosine: undefined });
  expect(texts(tensors)).toEqual([]);
  expect(texts(tensors, { y: { cosine: 0.9 } })).toEqual([
    "y: `cosine` has a limit, but for this output there is nothing to measure",
  ]);
});

test.each<[string, NamedTensors, NamedTensors, DriftLimitsByOutput, readonly string[]]>([
  ["a missing output", y([1, 2]), answer({}), {}, ["y: the candidate does not have it (1 row)"]],
  ["a new output", answer({}), y([1, 2]), {}, []],
  [
    "another shape",
    y([1, 2], [3, 4]),
    answer({ y: ["FP32", [2, 1], [1, 3]] }),
    {},
    ["y: shape [2, 1], not [2, 2] (2 rows)"],
  ],
  ["another dtype", y([1, 2]), answer({ y: ["FP16", [1, 2], [1, 2]] }), {}, ["y: FP16, not FP32 (1 row)"]],
  [
    "a different float dtype, which is allowed",
    y([1, 2]),
    answer({ y: ["FP16", [1, 2], [1, 2]] }),
    { "*": { dtype: "any" } },
    [],
  ],
  [
    "a different kind of dtype is never allowed",
    y([1, 2]),
    answer({ y: ["INT64", [1, 2], [1n, 2n]] }),
    { "*": { dtype: "any" } },
    ["y: INT64, not FP32 (1 row)"],
  ],
  ["NaN in both", y([Number.NaN, 2]), y([Number.NaN, 2]), {}, []],
  ["NaN in one", y([1, 2]), y([Number.NaN, 2]), {}, ["y: 1 element is NaN or infinite on only one side"]],
  ["a limit that is met", y([1, 2]), y([1, 2.5]), { y: { maxAbsolute: 0.5 } }, []],
  [
    "a limit that is not met",
    y([1, 2]),
    y([1, 2.5]),
    { y: { maxAbsolute: 0.4 } },
    ["y: the largest absolute error is 0.5; the limit is at most 0.4"],
  ],
  [
    "cosine",
    y([1, 0], [0, 1]),
    y([1, 0], [1, 1]),
    { y: { cosine: 0.999 } },
    ["y: the lowest cosine of a row is 0.707107; the limit is at least 0.999"],
  ],
  [
    "top-1",
    y([1, 0], [0, 1]),
    y([1, 0], [3, 1]),
    { "*": { top1: 1 } },
    ["y: the share of positions with the same largest value is 0.5; the limit is at least 1"],
  ],
  [
    "an output's own limit takes precedence over the general one",
    y([1, 0]),
    y([0, 0]),
    { "*": { exact: 1 }, y: { exact: 0.5 } },
    [],
  ],
  [
    "a limit on a value that the output does not have",
    answer({ label: ["BYTES", [1, 1], ["a"]] }),
    answer({ label: ["BYTES", [1, 1], ["b"]] }),
    { label: { cosine: 0.9, exact: 1 } },
    [
      "label: `cosine` has a limit, but for this output only `exact` can be measured",
      "label: the share of equal elements is 0; the limit is at least 1",
    ],
  ],
  [
    "limits on the numbers in JSON, and on everything else in it",
    answer({ verdict: ["BYTES", [2, 1], ['{"label":"good","score":0.5}', '{"label":"good","score":0.5}']] }),
    answer({ verdict: ["BYTES", [2, 1], ['{"label":"good","score":0.75}', '{"label":"bad","score":0.5}']] }),
    { verdict: { maxAbsolute: 0.1, maxRelative: 0.5, exactExceptNumbers: 1 } },
    [
      "verdict: the largest absolute error is 0.25; the limit is at most 0.1",
      "verdict: the share of elements that are equal except for fractional numbers in JSON is 0.5; the limit is at least 1",
    ],
  ],
  [
    "equal JSON is within every limit",
    answer({ verdict: ["BYTES", [1, 1], ['{"score":1}']] }),
    answer({ verdict: ["BYTES", [1, 1], ['{"score":1}']] }),
    { verdict: { maxAbsolute: 0, maxRelative: 0, exactExceptNumbers: 1, exact: 1 } },
    [],
  ],
  [
    "a general limit skips such outputs",
    answer({ n: ["INT64", [1], [1n]] }),
    answer({ n: ["INT64", [1], [1n]] }),
    { "*": { cosine: 1 } },
    [],
  ],
])("%s", (_, reference, candidate, limits, expected) => {
  expect(texts(drift([[reference, candidate]]), limits)).toEqual(expected);
});

test("rows with NaN on one side come first", () => {
  const [only] = drift([[y([1, 2], [1, 2]), y([9, 9], [Number.NaN, 2])]]);
  expect(only?.worst.map(({ example, mismatched }) => [example, mismatched])).toEqual([
    [1, 1],
    [0, 0],
  ]);
});

test("a fraction near 1 keeps the digits that distinguish it from 1", () => {
  expect([1, 0.5, 0.99999987, 1e-9, 12345678].map(showNumber)).toEqual([
    "1",
    "0.5",
    "0.99999987",
    "1e-9",
    "12345678",
  ]);
});
