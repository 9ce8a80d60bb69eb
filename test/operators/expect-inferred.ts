import type { TensorData } from "@tritype/core";
import { operators } from "@tritype/operators";
import { expect } from "vitest";
import { sizeOfDim } from "./arbitrary-call.ts";
import type { OperatorCall } from "./run-operator.ts";

/** Expects the names, dtypes and dims of the results to be those that `infer` has returned. */
export const expectInferred = (call: OperatorCall, results: Readonly<Record<string, TensorData>>): void => {
  const inferred = operators.get(call.operator)?.infer(call.operands, call.attributes).outputs ?? {};
  expect(Object.keys(results).toSorted()).toEqual(Object.keys(inferred).toSorted());
  for (const [name, type] of Object.entries(inferred)) {
    const { dtype, shape } = results[name] ?? { dtype: undefined, shape: [] };
    expect(dtype).toBe(type.dtype);
    expect(shape).toEqual(type.dims.map((dim, i) => sizeOfDim(dim) ?? shape[i]));
  }
};
