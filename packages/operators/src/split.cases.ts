import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { withAxis } from "./layouts.fixture.ts";
import { axisOf, build, type NdArray, put, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

const parts = (length: number): fc.Arbitrary<number | number[]> => {
  const counts = [1, 2, 3, 4].filter((count) => length % count === 0);
  const sizes = fc.nat({ max: length - 1 }).map((cut) => (cut === 0 ? [length] : [cut, length - cut]));
  return fc.oneof(fc.constantFrom(...counts), sizes);
};

export const cases: CasesOf = {
  split: {
    types: [
      ["FP32[batch, 10]", { axis: 1, parts: [3, 7] }, "FP32[batch, 3] ; FP32[batch, 7]"],
      ["FP32[batch, 10]", { axis: 1, parts: 2 }, "FP32[batch, 5] ; FP32[batch, 5]"],
      ["FP32[batch, seq]", { axis: "seq", parts: [1, 2] }, "FP32[batch, 1] ; FP32[batch, 2]"],
      ["FP32[batch, seq]", { axis: "seq", parts: 2 }, "FP32[batch, -1] ; FP32[batch, -1]"],
      ["FP32[batch, seq]", { axis: "seq", parts: 1 }, "FP32[batch, seq]"],
    ],
    problems: [
      [
        "FP32[batch, 10]",
        { axis: 1, parts: [3, 6] },
        "shape/dim-mismatch: [3, 6] adds up to 9, not to axis 1 of FP32[batch, 10], which has 10",
      ],
      [
        "FP32[batch, 10]",
        { axis: 1, parts: 3 },
        "shape/dim-mismatch: 3 equal parts do not fill axis 1 of FP32[batch, 10], which has 10",
      ],
      [
        "FP32[batch, 10]",
        { axis: 1, parts: [] },
        "shape/dim-mismatch: split takes a number of parts or the size of each, 1 or more, got []",
      ],
      [
        "FP32[batch, 10]",
        { axis: 1, parts: [0, 10] },
        "shape/dim-mismatch: split takes a number of parts or the size of each, 1 or more, got [0,10]",
      ],
    ],
    batch: [
      ["FP32[batch, 4]", { axis: 0, parts: 2 }, "0 splits"],
      ["FP32[batch, 4]", { axis: 1, parts: 2 }, ""],
    ],
    nodes: [
      ["FP32[batch, 9]", { axis: 1, parts: [4, 5] }, ["Split(x0, INT64{4 5}) axis=1", "→ %1 %1.1"]],
      ["FP32[batch, 9]", { axis: 1, parts: 3 }, ["Split(x0) axis=1", "→ %1 %1.1 %1.2"]],
    ],
    dtypes: runnable,
    layout: withAxis((along) => parts(along).map((some) => ({ parts: some }))),
    reference: (operands, { axis, parts }) => {
      const x = operandAt(operands, 0);
      const at = axisOf({ axis: axis ?? 0 }, x.dims.length);
      const each = (x.dims[at] ?? 1) / Number(parts);
      const sizes = Array.isArray(parts)
        ? (parts as number[])
        : Array.from({ length: Number(parts) }, () => each);
      let start = 0;
      const cut = sizes.map((length, i): [string, NdArray] => {
        const from = start;
        start += length;
        const part = build(x.dims.with(at, length), (index) =>
          read(x, put(index, at, from + (index[at] ?? 0))),
        );
        return [String(i), part];
      });
      return Object.fromEntries(cut);
    },
    example: ({ scores }) => scores.split(-1, [4, 6]),
  },
};
