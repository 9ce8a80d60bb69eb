import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { anyAxis, dimsOf, size, without } from "./layouts.fixture.ts";
import { axisOf, build, put, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  concat: {
    types: [
      ["FP32[batch, 4] ; FP32[batch, 5]", { axis: -1 }, "FP32[batch, 9]"],
      ["FP32[-1, seq] ; FP32[batch, 5]", { axis: 1 }, "FP32[batch, -1]"],
      ["FP32[batch, seq]", { axis: "seq" }, "FP32[batch, seq]"],
    ],
    problems: [
      [
        "FP32[2, 3] ; FP16[2, 3]",
        { axis: 0 },
        "dtype/mismatch: FP16[2, 3]: all tensors of a concat must have the dtype of the first",
      ],
      [
        "FP32[2, 3] ; FP32[2]",
        { axis: 0 },
        "shape/rank-mismatch: FP32[2] differs from [2, 3] outside the axis",
      ],
      ["", { axis: 0 }, "shape/rank-mismatch: concat needs at least one tensor, got none"],
      [
        "FP32[batch, seq, 4] ; FP32[batch, 2, 4]",
        { axis: -1 },
        "shape/dim-mismatch: FP32[batch, 2, 4] differs from [batch, seq, 4] outside the axis",
      ],
    ],
    batch: [
      ["FP32[batch, 4] ; FP32[batch, 4]", { axis: 1 }, ""],
      ["FP32[batch, 4] ; FP32[batch, 4]", { axis: 0 }, "0 joins along, 1 joins along"],
    ],
    dtypes: runnable,
    layout: dimsOf(1, 3).chain((dims) =>
      fc.tuple(anyAxis(dims.length), fc.array(size, { minLength: 1, maxLength: 3 })).map(([axis, sizes]) => ({
        operands: sizes.map((length) => ({ dims: without(dims, axis, length) })),
        attributes: { axis },
      })),
    ),
    reference: (operands, attributes) => {
      const first = operandAt(operands, 0);
      const axis = axisOf(attributes, first.dims.length);
      const sizes = operands.map((x) => x.dims[axis] ?? 1);
      return build(
        first.dims.with(
          axis,
          sizes.reduce((a, b) => a + b, 0),
        ),
        (index) => {
          let position = index[axis] ?? 0;
          const which = sizes.findIndex((size) => {
            if (position < size) return true;
            position -= size;
            return false;
          });
          return read(operandAt(operands, which), put(index, axis, position));
        },
      );
    },
    example: ({ scores, other }, { concat }) => concat([scores, other], 1),
  },
};
