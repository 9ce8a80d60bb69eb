import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { dimsOf, one } from "./layouts.fixture.ts";
import { build, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  transpose: {
    types: [["FP32[batch, seq, 4]", { axes: [0, 2, 1] }, "FP32[batch, 4, seq]"]],
    problems: [
      [
        "FP32[batch, seq, 384]",
        { axes: [0, 2] },
        "shape/rank-mismatch: transpose of [batch, seq, 384] needs 3 axes",
      ],
      [
        "FP32[batch, 4]",
        { axes: [0, -2] },
        "axis/out-of-range: transpose of [batch, 4] must list every axis once",
      ],
    ],
    batch: [
      ["FP32[batch, 2, 3]", { axes: [0, 2, 1] }, ""],
      ["FP32[batch, 2, 3]", { axes: [1, 0, 2] }, "0 moves"],
    ],
    padding: [["FP32[batch, seq=0, 8]", { axes: [0, 2, 1] }, [undefined, undefined, 0]]],
    dtypes: runnable,
    layout: dimsOf(0, 4).chain((dims) =>
      fc.shuffledSubarray([...dims.keys()], { minLength: dims.length }).map((axes) => one(dims, { axes })),
    ),
    reference: (operands, { axes }) => {
      const x = operandAt(operands, 0);
      const order = axes as readonly number[];
      const { dims } = x;
      return build(
        order.map((axis) => dims[axis] ?? 1),
        (index) =>
          read(
            x,
            dims.map((_, axis) => index[order.indexOf(axis)] ?? 0),
          ),
      );
    },
    example: ({ hidden }) => hidden.transpose("batch", 2, "seq"),
  },
};
