import { type DType, type Scalar, type TensorData, valuesOf } from "@tritype/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryCall } from "./arbitrary-call.ts";
import { expectedOf, referenced } from "./reference.ts";
import { runOperator } from "./run-operator.ts";

/** Half a unit in the last place of results near 1, times the few additions of a test. */
const tolerances: Partial<Record<DType, number>> = { FP16: 2e-3, FP32: 1e-6, FP64: 1e-14 };

const isClose = (a: Scalar, b: Scalar, tolerance: number): boolean => {
  if (typeof a !== "number" || typeof b !== "number" || !Number.isFinite(a) || !Number.isFinite(b))
    return Object.is(a, b);
  return Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b));
};

const expectClose = (got: TensorData, want: TensorData): void => {
  expect(got.shape).toEqual(want.shape);
  const tolerance = tolerances[want.dtype] ?? 0;
  const wanted = valuesOf(want);
  const wrong = valuesOf(got).flatMap((value, i) =>
    isClose(value, wanted[i] as Scalar, tolerance) ? [] : [{ i, value, wanted: wanted[i] }],
  );
  expect(wrong).toEqual([]);
};

describe("the values are those of a plain JavaScript reference", () => {
  it.each(referenced)("%s", async (name) => {
    await fc.assert(
      fc.asyncProperty(arbitraryCall(name), async (call) => {
        const { out } = await runOperator(call, call.feeds);
        if (out === undefined) throw new Error("no output");
        expectClose(out, expectedOf(name, call.feeds, call.attributes, out.dtype));
      }),
      { numRuns: 60 },
    );
  });
});
