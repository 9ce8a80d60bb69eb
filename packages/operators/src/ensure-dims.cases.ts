import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { dimsOf, one } from "./layouts.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  ensureDims: {
    types: [
      ["FP32[-1, -1, 4]", { dims: ["batch", 7, -1] }, "FP32[batch, 7, 4]"],
      ["FP32[batch, tokens]", { dims: ["batch", "seq"] }, "FP32[batch, seq]"],
    ],
    problems: [
      [
        "FP32[batch, 4]",
        { dims: ["batch", -1, 4] },
        "shape/rank-mismatch: [batch, -1, 4] contradicts [batch, 4]",
      ],
      ["FP32[batch, 4]", { dims: ["batch", 5] }, "shape/dim-mismatch: [batch, 5] contradicts [batch, 4]"],
      ["FP32[batch, 4]", { dims: ["batch", "n"] }, "shape/dim-mismatch: [batch, n] contradicts [batch, 4]"],
    ],
    batch: [["FP32[batch, -1]", { dims: ["batch", 4] }, ""]],
    nodes: [
      ["FP32[batch, -1, 4]", { dims: ["batch", 7, 4] }, ["Split(x0, INT64{7}) axis=1", "→ %1"]],
      ["FP32[batch, -1]", { dims: ["batch", "seq"] }, ["Identity(x0)", "→ %1"]],
    ],
    dtypes: runnable,
    layout: fc
      .tuple(dimsOf(0, 4), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }))
      .map(([dims, stated]) => one(dims, { dims: dims.map((dim, i) => (stated[i] ? dim : -1)) })),
    example: ({ hidden }) => hidden.ensureDims("batch", 128, 384),
  },
};
