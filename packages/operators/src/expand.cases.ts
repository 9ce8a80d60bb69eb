import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { dimsOf, narrowed, one } from "./layouts.fixture.ts";
import { broadcast, build, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  expand: {
    types: [
      ["FP32[batch, 1]", { dims: ["batch", 4] }, "FP32[batch, 4]"],
      ["FP32[batch, 1]", { dims: [5, -1, -1] }, "FP32[5, batch, 1]"],
      ["FP32[seq, 1]", { dims: [-1, "seq"] }, "FP32[seq, seq]"],
    ],
    problems: [
      [
        "FP32[batch, 384]",
        { dims: ["batch", 768] },
        "shape/no-broadcast: FP32[batch, 384] and [batch, 768] do not broadcast",
      ],
      [
        "FP32[batch, 4]",
        { dims: [-1, -1, 4] },
        "shape/bad-reshape: -1 keeps a size, and [batch, 4] has none there: expand to [-1, -1, 4]",
      ],
      ["FP32[batch, 1]", { dims: ["batch", "seq"] }, "axis/unknown: no dim named seq in [batch, 1]"],
    ],
    batch: [
      ["FP32[batch, 1]", { dims: ["batch", 4] }, ""],
      ["FP32[batch, 1]", { dims: [2, "batch", 4] }, "0 moves"],
    ],
    nodes: [["FP32[batch, 1]", { dims: ["batch", 4] }, ["Expand(x0, INT64{1 4})", "→ %1"]]],
    dtypes: runnable,
    layout: dimsOf(0, 4).chain((dims) => narrowed(dims).map((from) => one(from, { dims }))),
    reference: (operands, { dims }) =>
      build(broadcast([...operands, { dims: dims as number[], values: [] }]), (index) =>
        read(operandAt(operands, 0), index),
      ),
    example: ({ one }) => one.expand("batch", 10),
  },
};
