import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { anyAxis, dimsOf, front, one } from "./layouts.fixture.ts";
import { axisOf, build, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  gather: {
    types: [
      ["FP32[batch, seq, 4]", { axis: "seq", index: 0 }, "FP32[batch, 4]"],
      ["FP32[10, 4] ; INT64[batch, seq]", { axis: 0 }, "FP32[batch, seq, 4]"],
    ],
    problems: [
      ["FP32[4] ; FP32[2]", { axis: 0 }, "dtype/mismatch: FP32[2] contains no indices: .cast(int64) first"],
      [
        "FP32[batch, 4]",
        { axis: 1, index: 4 },
        "axis/out-of-range: index 4 is outside axis 1 of [batch, 4], which has 4",
      ],
      ["FP32[batch, 4]", { axis: 1 }, "axis/out-of-range: gather needs integers, got undefined"],
    ],
    batch: [
      ["FP32[batch, 4]", { axis: 0, index: 0 }, "0 indexes"],
      ["FP32[batch, 4]", { axis: 1, index: 0 }, ""],
      ["FP32[10, 4] ; FP32[batch, 3]", { axis: 0 }, ""],
      ["FP32[batch, 4] ; FP32[batch, 3]", { axis: 1 }, "1 moves"],
    ],
    dtypes: runnable,
    layout: fc.tuple(dimsOf(1, 3), fc.option(dimsOf(0, 2))).chain(([dims, indices]) =>
      anyAxis(dims.length).chain((axis) => {
        const below = dims[front(axis, dims.length)] ?? 1;
        const attributes = { axis };
        return indices === null
          ? fc.integer({ min: -below, max: below - 1 }).map((index) => one(dims, { axis, index }))
          : fc.constant({
              operands: [{ dims }, { dims: indices, dtypes: ["INT64", "INT32"] as const, below }],
              attributes,
            });
      }),
    ),
    reference: (operands, attributes) => {
      const x = operandAt(operands, 0);
      const indices = operands[1];
      const axis = axisOf(attributes, x.dims.length);
      const picked = indices ?? { dims: [], values: [Number(attributes["index"])] };
      const rank = picked.dims.length;
      return build(x.dims.toSpliced(axis, 1, ...picked.dims), (index) => {
        const position = Number(read(picked, index.slice(axis, axis + rank)));
        const size = x.dims[axis] ?? 1;
        return read(x, index.toSpliced(axis, rank, position < 0 ? position + size : position));
      });
    },
    example: ({ hidden }) => hidden.gather("seq", 0),
  },
};
