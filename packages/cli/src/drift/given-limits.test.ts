import { expect, test } from "vitest";
import { givenLimits, mergedLimits, refuseUnknownOutputs } from "./given-limits.ts";

test("limits apply to one output or all outputs, even to outputs with dots in their names", () => {
  expect(
    givenLimits([
      "embedding.cosine=0.999",
      "embedding.maxAbsolute=1e-3",
      "top1=1",
      "a.b.exact=0.5",
      "dtype=any",
    ]),
  ).toEqual({
    embedding: { cosine: 0.999, maxAbsolute: 1e-3 },
    "*": { top1: 1, dtype: "any" },
    "a.b": { exact: 0.5 },
  });
});

test.each([
  ["cosine", "--limit is cosine"],
  ["cosin=1", "there is no limit `cosin`"],
  ["y.cosine=high", "cosine must be a number from -1 to 1"],
  ["cosine=2", "cosine must be a number from -1 to 1"],
  ["top1=1.5", "top1 must be a number from 0 to 1"],
  ["maxAbsolute=-1", "maxAbsolute must be a number of at least 0"],
  ["dtype=FP16", 'dtype must be "any"'],
])("--limit %s", (option, message) => {
  expect(() => givenLimits([option])).toThrow(message);
});

test("later limits override earlier ones, limit by limit", () => {
  expect(mergedLimits({ y: { cosine: 0.9, top1: 1 } }, { y: { cosine: 0.99 }, z: { exact: 1 } })).toEqual({
    y: { cosine: 0.99, top1: 1 },
    z: { exact: 1 },
  });
});

test("limits for outputs that do not exist are errors", () => {
  expect(() => refuseUnknownOutputs({ "*": {}, embedding: {} }, ["embedding"])).not.toThrow();
  expect(() => refuseUnknownOutputs({ embeding: {} }, ["embedding"])).toThrow(
    "there is no output `embeding`",
  );
});
