import type { Scalar } from "@tritype/core";
import * as fc from "fast-check";
import { ranked } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { size, withAxis } from "./layouts.fixture.ts";
import { along, axisOf, build } from "./nd-array.fixture.ts";
import { notEmpty } from "./lowered.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  topK: {
    types: [["FP32[batch, 10]", { k: 3, axis: -1 }, "FP32[batch, 3] ; INT64[batch, 3]"]],
    problems: [
      [
        "FP32[batch, 3]",
        { k: 5, axis: 1 },
        "shape/dim-mismatch: topK takes 5 elements of axis 1 of FP32[batch, 3], which has 3",
      ],
      ["FP32[batch, 3]", { k: 0, axis: 1 }, "shape/dim-mismatch: topK takes a positive integer, got 0"],
    ],
    batch: [["FP32[batch, 4]", { axis: 0, k: 1 }, "0 reorders"]],
    ignoresPadding: [["FP32[batch, seq=-Infinity]", { axis: 1, k: 2 }, false]],
    nodes: [
      ["FP32[9]", { k: 2, axis: -1 }, ["TopK(x0, INT64{2}) axis=0 largest=1 sorted=1", "→ %1 %1.1"]],
      [
        "FP32[batch, 9]",
        { k: 2, axis: -1 },
        [...notEmpty, "TopK(%6, INT64{2}) axis=1 largest=1 sorted=1", "→ %7 %7.1"],
      ],
    ],
    dtypes: ranked,
    layout: withAxis((along) => fc.integer({ min: 1, max: along }).map((k) => ({ k })), size, size),
    reference: (operands, attributes) => {
      const x = operandAt(operands, 0);
      const axis = axisOf(attributes, x.dims.length);
      const ranking = (index: readonly number[]): readonly [Scalar, number][] =>
        along(x, index, axis)
          .map((value, position): [Scalar, number] => [value, position])
          .toSorted(([a, i], [b, j]) => (a === b ? i - j : a > b ? -1 : 1));
      const dims = x.dims.with(axis, Number(attributes["k"]));
      const best = (index: readonly number[]): readonly [Scalar, number] =>
        operandAt(ranking(index), index[axis] ?? 0);
      return {
        values: build(dims, (index) => best(index)[0]),
        indices: build(dims, (index) => best(index)[1]),
      };
    },
    odd: [-0, Infinity, -Infinity],
    example: ({ scores }) => scores.topK(3, -1),
  },
};
