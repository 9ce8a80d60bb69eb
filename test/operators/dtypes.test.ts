import { operators } from "@tritype/operators";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runnable } from "../../packages/operators/src/dtypes.fixture.ts";
import { operatorCases } from "../../packages/operators/src/operator-cases.fixture.ts";
import { arbitraryCall } from "./arbitrary-call.ts";
import { expectInferred } from "./expect-inferred.ts";
import { runOperator } from "./run-operator.ts";

const table = [...operatorCases].flatMap(([name, { dtypes }]) =>
  dtypes === undefined ? [] : [[name, dtypes] as const],
);

it("the dtypes of every operator are known, except those of indices and of constants", () => {
  const names = [...table.map(([name]) => name), "constant", "lookup", "oneHot"];
  expect(names.toSorted()).toEqual([...operators.keys()].toSorted());
});

describe("every accepted dtype runs, and every other one is refused", () => {
  it.each(table)("%s", async (name, dtypes) => {
    for (const dtype of runnable) {
      if (dtypes.includes(dtype))
        for (const call of fc.sample(arbitraryCall(name, [dtype]), { numRuns: 4, seed: 1 }))
          expectInferred(call, await runOperator(call, call.feeds));
      else expect(() => fc.sample(arbitraryCall(name, [dtype]), 1)).toThrow("accepts no dtype");
    }
  });
});

it.each([...operators.keys()].filter((name) => name !== "constant"))("%s refuses BF16", (name) => {
  const [call] = fc.sample(arbitraryCall(name), { numRuns: 1, seed: 1 });
  const operands = call?.operands.map((type) => ({ ...type, dtype: "BF16" as const })) ?? [];
  expect(operators.get(name)?.infer(operands, call?.attributes ?? {}).problem).toMatchObject({
    code: "dtype/not-supported",
    operand: 0,
    help: "let the model return FP32 or FP16",
  });
});
