import type { DType } from "@tritype/core";
import { operators } from "@tritype/operators";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { runnable } from "../../packages/operators/src/dtypes.fixture.ts";

// The default target's ONNX Runtime; two versions cannot share a process.
process.env["TRITYPE_TEST_ONNXRUNTIME"] = "onnxruntime-node-24.10";
const { arbitraryCall } = await import("./arbitrary-call.ts");
const { expectInferred } = await import("./expect-inferred.ts");
const { runOperator } = await import("./run-operator.ts");

const accepted = (name: string): readonly DType[] =>
  runnable.filter((dtype) => {
    try {
      return fc.sample(arbitraryCall(name, [dtype]), { numRuns: 1, seed: 1 }).length > 0;
    } catch {
      return false;
    }
  });

it.each([...operators.keys()])("%s runs with every dtype that it accepts", async (name) => {
  const dtypes = accepted(name);
  expect(dtypes.length).toBeGreaterThan(0);
  for (const dtype of dtypes)
    for (const call of fc.sample(arbitraryCall(name, [dtype]), { numRuns: 4, seed: 1 }))
      expectInferred(call, await runOperator(call, call.feeds));
});
