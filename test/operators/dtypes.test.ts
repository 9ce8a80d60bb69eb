import type { DType } from "@tritype/core";
import { operators } from "@tritype/operators";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arbitraryCall } from "./arbitrary-call.ts";
import { expectInferred } from "./expect-inferred.ts";
import { runnable, runOperator } from "./run-operator.ts";

const floats: readonly DType[] = ["FP16", "FP32", "FP64"];
const signed: readonly DType[] = ["INT8", "INT16", "INT32", "INT64"];
const unsigned: readonly DType[] = ["UINT8", "UINT16", "UINT32", "UINT64"];
const numbers: readonly DType[] = [...signed, ...unsigned, ...floats];
const ranked = numbers.filter((dtype) => dtype !== "UINT64");

/** What each operator accepts for its subject; the others are refused. */
const accepted: readonly (readonly [string, readonly DType[]])[] = [
  ["add sub mul minimum maximum gt ge lt le abs sign relu clip sum matmul einsum", numbers],
  ["eq ne", ["BOOL", ...numbers]],
  ["and or xor not", ["BOOL"]],
  ["neg", [...signed, ...floats]],
  ["div mod pow max min argmax argmin topK", ranked],
  ["prod", numbers.filter((dtype) => dtype !== "FP64")],
  ["round floor ceil sqrt exp log tanh sigmoid softmax layerNorm mean logSumExp", floats],
  ["erf gelu", ["FP16", "FP32"]],
  ["pad", runnable.filter((dtype) => dtype !== "BYTES")],
  ["labelEncode", [...signed, "UINT8", "UINT16", "UINT32"]],
  [
    "cast identity unsqueeze squeeze transpose reshape expand slice split tile gather ensureDims where concat",
    runnable,
  ],
];
const table = accepted.flatMap(([names, dtypes]) => names.split(" ").map((name) => [name, dtypes] as const));

it("knows every operator", () => {
  const names = [...table.map(([name]) => name), "constant", "lookup", "oneHot"];
  expect(names.toSorted()).toEqual([...operators.keys()].toSorted());
});

describe("every dtype that is accepted runs, every other is refused", () => {
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
