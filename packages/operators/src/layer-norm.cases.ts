import { elementCount } from "@tritype/core";
import * as fc from "fast-check";
import { floats } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { front, withAxis } from "./layouts.fixture.ts";
import { axisOf } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  layerNorm: {
    types: [
      ["FP32[batch, seq, 4] ; FP32[4]", { axis: -1, epsilon: 0, scale: true }, "FP32[batch, seq, 4]"],
      ["FP32[batch, seq, -1] ; FP32[seq, 4]", { axis: 1, epsilon: 0, bias: true }, "FP32[batch, seq, -1]"],
    ],
    problems: [
      ["FP32[4]", { axis: 0, epsilon: -1 }, "operator/bad-option: epsilon must be 0 or more, got -1"],
      [
        "FP32[batch, 4] ; FP32[5]",
        { axis: 1, epsilon: 0, scale: true },
        "shape/dim-mismatch: the scale FP32[5] does not have the normalized dims [4]",
      ],
      [
        "FP32[batch, 4] ; FP32[2, 4]",
        { axis: 1, epsilon: 0, bias: true },
        "shape/rank-mismatch: the bias FP32[2, 4] does not have the normalized dims [4]",
      ],
      [
        "FP32[batch, 4] ; FP16[4]",
        { axis: 1, epsilon: 0, scale: true },
        "dtype/mismatch: FP32[batch, 4] and FP16[4] have different dtypes: ONNX never promotes, so cast one of them",
      ],
    ],
    batch: [
      ["FP32[batch, 4]", { axis: 1, epsilon: 0 }, ""],
      ["FP32[batch, 4]", { axis: 0, epsilon: 0 }, "0 normalizes over"],
      ["FP32[-1, 4] ; FP32[batch, 4]", { axis: 0, epsilon: 0, scale: true }, "1 normalizes over"],
    ],
    ignoresPadding: [["FP32[batch, seq=0]", { axis: 1, epsilon: 0 }, false]],
    nodes: [
      [
        "FP32[batch, seq, 2] ; FP32[2]",
        { axis: -1, epsilon: 1e-5, scale: false, bias: true },
        ["LayerNormalization(x0, FP32{1 1}, x1) axis=2 epsilon=0.00001", "→ %1"],
      ],
      [
        "FP32[batch, seq]",
        { axis: -1, epsilon: 1e-5, scale: false, bias: false },
        [
          "Shape(x0) start=1 end=2",
          "Expand(FP32{1}, %1)",
          "LayerNormalization(x0, %2) axis=1 epsilon=0.00001",
          "→ %3",
        ],
      ],
    ],
    dtypes: floats,
    layout: withAxis(() =>
      fc.tuple(fc.boolean(), fc.boolean()).map(([scale, bias]) => ({ scale, bias, epsilon: 1e-5 })),
    ).map(({ operands, attributes }) => {
      const { dims } = operandAt(operands, 0);
      const axis = front(Number(attributes["axis"]), dims.length);
      const full = dims.map((dim, i) => (i < axis ? dim : Math.max(1, dim)));
      const weights = [attributes["scale"], attributes["bias"]].filter((given) => given === true);
      return { operands: [{ dims: full }, ...weights.map(() => ({ dims: full.slice(axis) }))], attributes };
    }),
    reference: (operands, attributes) => {
      const x = operandAt(operands, 0);
      const weights = operands.slice(1);
      const axis = axisOf(attributes, x.dims.length);
      const size = elementCount(x.dims.slice(axis));
      const [scale, bias] = attributes["scale"] === true ? weights : [undefined, weights[0]];
      const values = x.values.map((value, flat) => {
        const start = flat - (flat % size);
        const group = x.values.slice(start, start + size) as number[];
        const mean = group.reduce((a, b) => a + b, 0) / size;
        const variance = group.reduce((a, b) => a + (b - mean) ** 2, 0) / size;
        const normal =
          (Number(value) - mean) / Math.sqrt(variance + Math.fround(Number(attributes["epsilon"])));
        return normal * Number(scale?.values[flat % size] ?? 1) + Number(bias?.values[flat % size] ?? 0);
      });
      return { dims: x.dims, values };
    },
    example: ({ hidden }) => hidden.layerNorm(-1),
  },
};
