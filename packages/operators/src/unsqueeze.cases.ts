import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { dimsOf, one } from "./layouts.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  unsqueeze: {
    types: [
      ["FP32[batch, 4]", { axis: -1 }, "FP32[batch, 4, 1]"],
      ["FP32[batch, 4]", { axis: -3 }, "FP32[1, batch, 4]"],
    ],
    problems: [
      ["FP32[4]", { axis: "seq" }, 'axis/unknown: a new axis must be a number, got "seq"'],
      [
        "FP32[4]",
        { axis: 2 },
        "axis/out-of-range: axis 2 is out of range for [4] plus the new axis: use -2 to 1",
      ],
    ],
    batch: [
      ["FP32[batch, 4]", { axis: 1 }, ""],
      ["FP32[batch, 4]", { axis: 0 }, "0 moves"],
    ],
    padding: [
      ["FP32[batch, seq=0]", { axis: -1 }, [undefined, 0, undefined]],
      ["FP32[batch, seq=0]", { axis: 1 }, [undefined, undefined, 0]],
    ],
    dtypes: runnable,
    layout: dimsOf(0, 3).chain((dims) =>
      fc.integer({ min: -dims.length - 1, max: dims.length }).map((axis) => one(dims, { axis })),
    ),
    example: ({ scores }) => scores.unsqueeze(1),
  },
};
