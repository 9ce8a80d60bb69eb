import { type TensorData, valuesOf } from "@tritype/core";
import { operators } from "@tritype/operators";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryCall, hidden } from "./arbitrary-call.ts";
import { expectInferred } from "./expect-inferred.ts";
import { runOperator } from "./run-operator.ts";
import { runsOf } from "./runs-of.ts";

describe("the inferred type matches the result of ONNX Runtime", () => {
  it.each([...operators.keys()])("%s", async (name) => {
    await fc.assert(
      fc.asyncProperty(arbitraryCall(name), async (call) => {
        expectInferred(call, await runOperator(call, call.feeds));
      }),
      { numRuns: runsOf(40) },
    );
  });
});

describe("with named or unknown sizes, the type still holds and the values are the same", () => {
  it.each([...operators.keys()].filter((name) => name !== "constant"))("%s", async (name) => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryCall(name).chain((call) => fc.tuple(fc.constant(call), hidden(call))),
        async ([call, unsure]) => {
          const { problem } = operators.get(name)?.infer(unsure.operands, unsure.attributes) ?? {};
          if (problem !== undefined)
            expect(problem.code).toMatch(
              /^shape\/(no-broadcast|dim-mismatch|bad-reshape)$|^axis\/ambiguous$/,
            );
          // A refused call is redrawn and does not count as one of the runs.
          fc.pre(problem === undefined);
          const [results, expected] = [
            await runOperator(unsure, call.feeds),
            await runOperator(call, call.feeds),
          ];
          expectInferred(unsure, results);
          for (const output of Object.keys(expected))
            expect(valuesOf(results[output] as TensorData)).toEqual(valuesOf(expected[output] as TensorData));
        },
      ),
      { numRuns: runsOf(60) },
    );
  });
});
