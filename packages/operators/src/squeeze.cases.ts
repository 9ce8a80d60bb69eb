import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { dimsOf, one } from "./layouts.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  squeeze: {
    types: [
      ["FP32[batch, 1, -1]", { axis: 1 }, "FP32[batch, -1]"],
      ["FP32[batch, 1, -1]", { axis: -1 }, "FP32[batch, 1]"],
    ],
    problems: [
      [
        "FP32[batch, seq, 384]",
        { axis: 2 },
        "shape/dim-mismatch: only an axis of size 1 can be removed: 2 of [batch, seq, 384] is 384",
      ],
      [
        "FP32[batch, seq#3]",
        { axis: "seq" },
        "shape/dim-mismatch: only an axis of size 1 can be removed: seq of [batch, seq] is seq",
      ],
    ],
    batch: [["FP32[1, batch]", { axis: 0 }, "0 moves"]],
    padding: [["FP32[batch, seq=0, 1]", { axis: -1 }, [undefined, 0]]],
    dtypes: runnable,
    layout: dimsOf(0, 3).chain((dims) =>
      fc.nat({ max: dims.length }).map((axis) => one(dims.toSpliced(axis, 0, 1), { axis })),
    ),
    example: ({ one }) => one.squeeze(1),
  },
};
