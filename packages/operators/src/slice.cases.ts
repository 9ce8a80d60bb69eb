import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { withAxis } from "./layouts.fixture.ts";
import { axisOf, build, put, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  slice: {
    types: [
      ["FP32[batch, 10]", { axis: 1, start: 2, end: -1 }, "FP32[batch, 7]"],
      ["FP32[batch, 10]", { axis: 1, start: 8, end: 100 }, "FP32[batch, 2]"],
      ["FP32[batch, 10]", { axis: 1, start: 5, end: 3 }, "FP32[batch, 0]"],
      ["FP32[batch, seq]", { axis: "seq", start: 0 }, "FP32[batch, seq]"],
      ["FP32[batch, seq]", { axis: "seq", start: 1 }, "FP32[batch, -1]"],
    ],
    problems: [
      ["FP32[4]", { axis: 0, start: 0, end: 1.5 }, "axis/out-of-range: slice needs integers, got 1.5"],
    ],
    batch: [["FP32[batch, 4]", { axis: 0, start: 0, end: 1 }, "0 slices"]],
    ignoresPadding: [["FP32[batch, seq=0, 8]", { axis: 1, start: 0, end: 2 }, false]],
    nodes: [
      [
        "FP32[batch, 9]",
        { axis: 1, start: 2 },
        ["Slice(x0, INT64{2}, INT64{9223372036854775807}, INT64{1})", "→ %1"],
      ],
    ],
    dtypes: runnable,
    layout: withAxis(() => {
      const position = fc.integer({ min: -6, max: 6 });
      return fc
        .tuple(position, fc.option(position))
        .map(([start, end]) => (end === null ? { start } : { start, end }));
    }),
    reference: (operands, attributes) => {
      const x = operandAt(operands, 0);
      const { dims } = x;
      const axis = axisOf(attributes, dims.length);
      const positions = Array.from({ length: dims[axis] ?? 1 }, (_, i) => i);
      const { start, end } = attributes as { readonly start: number; readonly end?: number };
      const picked = positions.slice(start, end);
      return build(dims.with(axis, picked.length), (index) =>
        read(x, put(index, axis, picked[index[axis] ?? 0] ?? 0)),
      );
    },
    example: ({ hidden }) => hidden.slice("seq", 1, -1),
  },
};
