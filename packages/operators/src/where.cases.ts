import * as fc from "fast-check";
import { where } from "../../dsl/src/index.ts";
import { runnable } from "./dtypes.fixture.ts";
import { dimsOf, narrowed } from "./layouts.fixture.ts";
import { elementwise } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  where: {
    types: [
      ["BOOL[batch, 1] ; FP32[batch, 4] ; FP32[]", {}, "FP32[batch, 4]"],
      ["BOOL[3] ; BYTES[3] ; BYTES[1]", {}, "BYTES[3]"],
    ],
    problems: [
      ["FP32[2] ; FP32[2] ; FP32[2]", {}, "dtype/mismatch: FP32[2] is not BOOL: compare first, as in .gt(0)"],
      ["BOOL[3] ; FP32[4] ; FP32[1]", {}, "shape/no-broadcast: BOOL[3] and FP32[4] do not broadcast"],
    ],
    batch: [["FP32[batch, 1] ; FP32[batch, 4] ; FP32[]", {}, ""]],
    padding: [
      [
        "BOOL[batch, seq=0, 1] ; FP32[batch, seq, 8] ; FP32[]=-Infinity",
        {},
        [undefined, -Infinity, undefined],
      ],
      ["BOOL[batch, seq, 1] ; FP32[batch, seq=0, 8] ; FP32[batch, seq=0, 8]", {}, [undefined, 0, undefined]],
    ],
    dtypes: runnable,
    layout: dimsOf(0, 3).chain((dims) =>
      fc.tuple(narrowed(dims), narrowed(dims), narrowed(dims)).map(([condition, a, b]) => ({
        operands: [{ dims: condition, dtypes: ["BOOL"] as const }, { dims: a }, { dims: b }],
        attributes: {},
      })),
    ),
    reference: elementwise((condition, a, b) => (condition === true ? a : b)),
    example: ({ flags, scores }) => where(flags, scores, 0),
  },
};
