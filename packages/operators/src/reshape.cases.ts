import { elementCount } from "@tritype/core";
import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { dimsOf, one } from "./layouts.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

const regroupings = (dims: readonly number[]): number[][] => [
  [elementCount(dims)],
  [...dims],
  [1, ...dims],
  [...dims, 1],
  [...dims].toReversed(),
  [...dims.slice(0, 1), elementCount(dims.slice(1))],
  [elementCount(dims.slice(0, -1)), ...dims.slice(-1)],
];

export const cases: CasesOf = {
  reshape: {
    types: [
      ["FP32[batch, 3, 4]", { dims: ["batch", 12] }, "FP32[batch, 12]"],
      ["FP32[batch, 3, 4]", { dims: ["batch", -1] }, "FP32[batch, 12]"],
      ["FP32[batch, seq, 4]", { dims: [-1, "seq", 4] }, "FP32[batch, seq, 4]"],
      ["FP32[batch, seq, 4]", { dims: [-1, 4] }, "FP32[-1, 4]"],
      ["FP32[batch, -1]", { dims: ["batch", 12] }, "FP32[batch, 12]"],
      ["FP32[batch, seq#1, 4]", { dims: [4, "batch", "seq"] }, "FP32[4, batch, seq]"],
      ["FP32[1, 1]", { dims: [] }, "FP32[]"],
    ],
    problems: [
      ["FP32[2, 6]", { dims: [5, 2] }, "shape/bad-reshape: FP32[2, 6] has 12 elements, [5, 2] has 10"],
      [
        "FP32[batch, 6]",
        { dims: ["batch", 4] },
        "shape/bad-reshape: FP32[batch, 6] has 6·batch elements, [batch, 4] has 4·batch",
      ],
      ["FP32[n, 4]", { dims: ["n", "n"] }, "shape/bad-reshape: FP32[n, 4] has 4·n elements, [n, n] has n·n"],
      [
        "FP32[2, 3]",
        { dims: [4, -1] },
        "shape/bad-reshape: FP32[2, 3] has 6 elements, which [4, -1] does not divide",
      ],
      ["FP32[2, 3]", { dims: [-1, -1] }, "shape/bad-reshape: [-1, -1] has more than one -1"],
      ["FP32[-1]", { dims: [3, 0] }, "shape/bad-reshape: [3, 0] contains the size 0"],
      [
        "FP32[2, 3]",
        { dims: [1.5, -1] },
        "shape/bad-reshape: 1.5 is not a dim: it is a size, a name of [2, 3] or -1",
      ],
      [
        "FP32[batch, seq, 4]",
        { dims: ["batch", "len", 4] },
        "axis/unknown: no dim named len in [batch, seq, 4]",
      ],
      [
        "FP32[2, seq#1, seq#2]",
        { dims: ["seq", -1] },
        "axis/ambiguous: the name seq stands for several sizes of [2, seq, seq]",
      ],
    ],
    batch: [
      ["FP32[batch, 2, 3]", { dims: ["batch", 6] }, ""],
      ["FP32[batch, 2, 3]", { dims: ["batch", -1] }, ""],
      ["FP32[batch, 2, 3]", { dims: [-1, 3] }, "0 reshapes"],
      ["FP32[batch, 2]", { dims: [2, "batch"] }, "0 reshapes"],
    ],
    nodes: [
      ["FP32[batch, 3, 4]", { dims: ["batch", 12] }, ["Reshape(x0, INT64{0 12})", "→ %1"]],
      ["FP32[n, 4, m]", { dims: ["n", "m", 4] }, ["Reshape(x0, INT64{0 -1 4})", "→ %1"]],
      [
        "FP32[n, 4, m]",
        { dims: ["m", 4, "n"] },
        ["Shape(x0) start=0 end=1", "Concat(INT64{-1 4}, %1) axis=0", "Reshape(x0, %2)", "→ %3"],
      ],
    ],
    dtypes: runnable,
    layout: dimsOf(1, 4).chain((dims) =>
      fc
        .tuple(fc.constantFrom(...regroupings(dims)), fc.option(fc.nat({ max: 4 })))
        .map(([to, free]) => one(dims, { dims: to.map((dim, i) => (i === free ? -1 : dim)) })),
    ),
    example: ({ scores }) => scores.reshape("batch", 2, 5),
  },
};
