import { type DType, type Scalar, type TensorData, valuesOf } from "@tritype/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operatorCases } from "../../packages/operators/src/operator-cases.fixture.ts";
import { arbitraryCall, type ConcreteCall } from "./arbitrary-call.ts";
import { expectedOf, referenced } from "./reference.ts";
import { runOperator } from "./run-operator.ts";
import { runsOf } from "./runs-of.ts";

/** Half a unit in the last place for results near 1, times the few additions of a test. */
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

const holds = async (calls: fc.Arbitrary<ConcreteCall>, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(calls, async (call) => {
      const outputs = await runOperator(call, call.feeds);
      const dtypeOf = (output: string): DType => outputs[output]?.dtype ?? "FP32";
      const expected = expectedOf(call.operator, call.feeds, call.attributes, dtypeOf);
      expect(Object.keys(outputs).toSorted()).toEqual(Object.keys(expected).toSorted());
      for (const [name, tensor] of Object.entries(outputs)) expectClose(tensor, expected[name] as TensorData);
    }),
    { numRuns },
  );

describe("the values equal those of a plain JavaScript reference", () => {
  it.each(referenced)("%s", async (name) => {
    await holds(arbitraryCall(name), runsOf(60));
  });
});

const floats: readonly DType[] = ["FP16", "FP32", "FP64"];
const oddOf = (name: string): readonly number[] =>
  operatorCases.get(name)?.odd ?? [-0, Infinity, -Infinity, Number.NaN];

describe("the same holds for NaN, infinities and -0", () => {
  it.each(referenced.filter((name) => oddOf(name).length > 0))("%s", async (name) => {
    await holds(arbitraryCall(name, floats, oddOf(name)), runsOf(60));
  });
});
