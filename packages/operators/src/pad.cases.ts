import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import type { Attributes } from "./index.ts";
import { operandAt } from "./inferred.ts";
import { withAxis } from "./layouts.fixture.ts";
import { axisOf, build, put, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

const padding = (length: number): fc.Arbitrary<Attributes> =>
  fc
    .tuple(fc.constantFrom("constant", "edge", "reflect"), fc.nat({ max: 5 }), fc.nat({ max: 5 }))
    .map(([mode, front, back]) => {
      const most = mode === "reflect" ? length - 1 : 5;
      const counts = { before: Math.min(front, most), after: Math.min(back, most) };
      return { ...counts, mode };
    });

export const cases: CasesOf = {
  pad: {
    types: [
      ["FP32[batch, 4]", { axis: 1, before: 1, after: 2, mode: "edge" }, "FP32[batch, 7]"],
      ["BOOL[batch, n]", { axis: 1, before: 1, after: 2, mode: "constant" }, "BOOL[batch, -1]"],
      ["FP32[batch, n]", { axis: 1, before: 0, after: 0, mode: "reflect" }, "FP32[batch, n]"],
    ],
    problems: [
      ["BYTES[4]", { axis: 0 }, "dtype/not-supported: ONNX Runtime does not support pad for BYTES[4]"],
      [
        "FP32[4]",
        { axis: 0, before: -1, after: 0, mode: "constant" },
        "operator/bad-option: pad takes whole numbers from 0 to 1000000, got -1",
      ],
      [
        "FP32[4]",
        { axis: 0, before: 1, after: 0, mode: "wrap" },
        'operator/bad-option: the modes of pad are "constant", "edge" and "reflect", got "wrap"',
      ],
      [
        "FP32[batch, 4]",
        { axis: 1, before: 1, after: 4, mode: "reflect" },
        "shape/dim-mismatch: reflect padding by 4 needs 5 elements, but axis 1 of FP32[batch, 4] has 4",
      ],
      [
        "INT8[4]",
        { axis: 0, before: 1, after: 0, mode: "constant", value: 300 },
        "dtype/out-of-range: 300 does not fit INT8, whose range is -128 to 127",
      ],
    ],
    batch: [
      ["FP32[batch, 4]", { axis: "batch", before: 1, after: 0, mode: "constant" }, "0 pads"],
      ["FP32[batch, 4]", { axis: 1, before: 1, after: 0, mode: "constant" }, ""],
    ],
    nodes: [
      [
        "FP32[batch, 2]",
        { axis: -1, before: 1, after: 2, mode: "constant", value: "-Infinity" },
        ["Pad(x0, INT64{0 1 0 2}, FP32{-Infinity}) mode=constant", "→ %1"],
      ],
      [
        "FP32[batch, n]",
        { axis: "n", before: 2, after: 1, mode: "reflect" },
        [
          "Gather(x0, INT64{2 1}) axis=1",
          "Gather(x0, INT64{-2}) axis=1",
          "Concat(%1, x0, %2) axis=1",
          "→ %3",
        ],
      ],
    ],
    dtypes: runnable.filter((dtype) => dtype !== "BYTES"),
    layout: withAxis(padding),
    reference: (operands, { axis, before, after, mode }) => {
      const x = operandAt(operands, 0);
      const at = axisOf({ axis: axis ?? 0 }, x.dims.length);
      const length = x.dims[at] ?? 1;
      const source = (position: number): number => {
        if (mode === "edge") return Math.min(Math.max(position, 0), length - 1);
        return mode === "constant" ? position : length - 1 - Math.abs(length - 1 - Math.abs(position));
      };
      return build(x.dims.with(at, length + Number(before) + Number(after)), (index) => {
        const position = source((index[at] ?? 0) - Number(before));
        return position < 0 || position >= length ? 0 : read(x, put(index, at, position));
      });
    },
    example: ({ scores }) => scores.pad(1, 0, 2),
  },
};
