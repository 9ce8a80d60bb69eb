import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { dimsOf, size, sizeOrNone } from "./layouts.fixture.ts";
import { build, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  oneHot: {
    types: [
      ["INT64[batch, seq]", { depth: 3, axis: -1, to: "FP32" }, "FP32[batch, seq, 3]"],
      ["INT32[batch]", { depth: 3, axis: 0, to: "BOOL" }, "BOOL[3, batch]"],
    ],
    problems: [
      [
        "INT64[4]",
        { depth: 2, axis: 0, to: "BYTES" },
        "dtype/not-supported: INT64[4] as BYTES: text has no 0 and 1",
      ],
      [
        "FP32[4]",
        { depth: 2, axis: 0, to: "FP32" },
        "dtype/mismatch: FP32[4] contains no indices: .cast(int64) first",
      ],
      [
        "INT64[4]",
        { depth: 0, axis: 0, to: "FP32" },
        "operator/bad-option: the depth of oneHot must be a whole number from 1 to 1000000, got 0",
      ],
      [
        "INT64[4]",
        { depth: 2, axis: 2, to: "FP32" },
        "axis/out-of-range: axis 2 is out of range for [4] plus the new axis: use -2 to 1",
      ],
    ],
    batch: [
      ["INT64[batch]", { axis: -1, depth: 3, to: "FP32" }, ""],
      ["INT64[batch]", { axis: 0, depth: 3, to: "FP32" }, "0 moves"],
    ],
    nodes: [
      [
        "INT64[batch]",
        { depth: 3, axis: -1, to: "FP32" },
        [
          "Less(x0, INT64{0})",
          "Add(x0, INT64{3})",
          "Where(%1, %2, x0)",
          "Unsqueeze(%3, INT64{1})",
          "Equal(%4, INT64{0 1 2})",
          "Cast(%5) to=1",
          "→ %6",
        ],
      ],
    ],
    layout: dimsOf(0, 3, sizeOrNone).chain((dims) =>
      fc
        .tuple(
          fc.integer({ min: -dims.length - 1, max: dims.length }),
          size,
          fc.constantFrom(...runnable.filter((dtype) => dtype !== "BYTES")),
        )
        .map(([axis, depth, to]) => ({
          operands: [{ dims, dtypes: ["INT64", "INT32"] as const, below: depth + 1 }],
          attributes: { axis, depth, to },
        })),
    ),
    reference: (operands, { axis, depth }) => {
      const x = operandAt(operands, 0);
      const place = Number(axis) < 0 ? Number(axis) + x.dims.length + 1 : Number(axis);
      return build(x.dims.toSpliced(place, 0, Number(depth)), (index) =>
        Number(read(x, index.toSpliced(place, 1))) === index[place] ? 1 : 0,
      );
    },
    odd: [],
    example: ({ ids }, { fp32 }) => ids.oneHot(100, 2, fp32),
  },
};
