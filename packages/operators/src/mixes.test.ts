import type { Dims, DType } from "@tritype/core";
import { expect, it } from "vitest";
import { type Attributes, operators } from "./index.ts";

/** `mean 0 reduces over`: what happens to the axis "batch" of the operands, none for nothing. */
const fate = (operator: string, operands: readonly Dims[], attributes: Attributes): string => {
  const dtype: DType = operator === "oneHot" ? "INT64" : "FP32";
  const types = operands.map((dims) => ({ dtype, dims }));
  const mixed = operators.get(operator)?.mixes?.(types, attributes) ?? [];
  return mixed
    .filter(({ operand, axis }) => operands[operand]?.[axis] === "batch")
    .map(({ operand, verb }) => `${operand} ${verb}`)
    .join(", ");
};

it.each<[string, readonly Dims[], Attributes, string]>([
  [
    "add",
    [
      ["batch", 4],
      ["batch", 4],
    ],
    {},
    "",
  ],
  ["add", [["batch", 4], [4]], {}, ""],
  ["add", [["batch"], ["batch", 1]], {}, "0 moves"],
  ["where", [["batch", 1], ["batch", 4], []], {}, ""],
  ["mean", [["batch", 4]], { axis: 1 }, ""],
  ["mean", [["batch", 4]], { axis: 0 }, "0 reduces over"],
  ["sum", [[4, "batch"]], { axis: 0 }, "0 moves"],
  ["sum", [[4, "batch"]], { axis: 0, keepDims: true }, ""],
  ["argmax", [["batch", 4]], { axis: "batch" }, "0 reduces over"],
  ["softmax", [["batch", 4]], { axis: -2 }, "0 normalizes over"],
  ["topK", [["batch", 4]], { axis: 0, k: 1 }, "0 reorders"],
  ["slice", [["batch", 4]], { axis: 0, start: 0, end: 1 }, "0 slices"],
  ["gather", [["batch", 4]], { axis: 0, index: 0 }, "0 indexes"],
  ["gather", [["batch", 4]], { axis: 1, index: 0 }, ""],
  [
    "gather",
    [
      [10, 4],
      ["batch", 3],
    ],
    { axis: 0 },
    "",
  ],
  [
    "gather",
    [
      ["batch", 4],
      ["batch", 3],
    ],
    { axis: 1 },
    "1 moves",
  ],
  [
    "concat",
    [
      ["batch", 4],
      ["batch", 4],
    ],
    { axis: 1 },
    "",
  ],
  [
    "concat",
    [
      ["batch", 4],
      ["batch", 4],
    ],
    { axis: 0 },
    "0 joins along, 1 joins along",
  ],
  [
    "matmul",
    [
      ["batch", 2, 4],
      ["batch", 4, 3],
    ],
    {},
    "",
  ],
  [
    "matmul",
    [
      ["batch", 4],
      [4, 3],
    ],
    {},
    "",
  ],
  [
    "matmul",
    [
      ["batch", 4],
      ["batch", 4, 3],
    ],
    {},
    "0 moves",
  ],
  [
    "matmul",
    [
      [2, "batch"],
      ["batch", 3],
    ],
    {},
    "0 reduces over, 1 reduces over",
  ],
  ["unsqueeze", [["batch", 4]], { axis: 1 }, ""],
  ["unsqueeze", [["batch", 4]], { axis: 0 }, "0 moves"],
  ["squeeze", [[1, "batch"]], { axis: 0 }, "0 moves"],
  ["transpose", [["batch", 2, 3]], { axes: [0, 2, 1] }, ""],
  ["transpose", [["batch", 2, 3]], { axes: [1, 0, 2] }, "0 moves"],
  ["reshape", [["batch", 2, 3]], { dims: ["batch", 6] }, ""],
  ["reshape", [["batch", 2, 3]], { dims: ["batch", -1] }, ""],
  ["reshape", [["batch", 2, 3]], { dims: [-1, 3] }, "0 reshapes"],
  ["reshape", [["batch", 2]], { dims: [2, "batch"] }, "0 reshapes"],
  ["expand", [["batch", 1]], { dims: ["batch", 4] }, ""],
  ["expand", [["batch", 1]], { dims: [2, "batch", 4] }, "0 moves"],
  ["argmin", [["batch", 4]], { axis: 0 }, "0 reduces over"],
  ["logSumExp", [["batch", 4]], { axis: -1 }, ""],
  ["layerNorm", [["batch", 4]], { axis: 1, epsilon: 0 }, ""],
  ["layerNorm", [["batch", 4]], { axis: 0, epsilon: 0 }, "0 normalizes over"],
  [
    "layerNorm",
    [
      [-1, 4],
      ["batch", 4],
    ],
    { axis: 0, epsilon: 0, scale: true },
    "1 normalizes over",
  ],
  ["split", [["batch", 4]], { axis: 0, parts: 2 }, "0 splits"],
  ["split", [["batch", 4]], { axis: 1, parts: 2 }, ""],
  ["pad", [["batch", 4]], { axis: "batch", before: 1, after: 0, mode: "constant" }, "0 pads"],
  ["pad", [["batch", 4]], { axis: 1, before: 1, after: 0, mode: "constant" }, ""],
  ["tile", [["batch", 4]], { axis: 0, times: 2 }, "0 repeats"],
  ["tile", [["batch", 4]], { axis: -1, times: 2 }, ""],
  ["oneHot", [["batch"]], { axis: -1, depth: 3, to: "FP32" }, ""],
  ["oneHot", [["batch"]], { axis: 0, depth: 3, to: "FP32" }, "0 moves"],
  [
    "einsum",
    [
      ["batch", 4],
      ["batch", 4],
    ],
    { equation: "bi,bi->b" },
    "",
  ],
  [
    "einsum",
    [
      ["batch", 2, 4],
      ["batch", 3, 4],
    ],
    { equation: "...qd,...kd->...qk" },
    "",
  ],
  [
    "einsum",
    [
      ["batch", 4],
      [5, 4],
    ],
    { equation: "bi,oi->bo" },
    "",
  ],
  [
    "einsum",
    [
      ["batch", 4],
      ["batch", 4],
    ],
    { equation: "bi,bj->ij" },
    "0 reduces over, 1 reduces over",
  ],
  ["einsum", [["batch", 4]], { equation: "bi->ib" }, "0 moves"],
  [
    "einsum",
    [
      ["batch", 4],
      ["batch", 4],
    ],
    { equation: "ai,bi->ab" },
    "1 moves",
  ],
  ["einsum", [["batch", "batch"]], { equation: "bb->b" }, "0 takes the diagonal of, 0 takes the diagonal of"],
  ["ensureDims", [["batch", -1]], { dims: ["batch", 4] }, ""],
])("%s of %j %j: %s", (operator, operands, attributes, expected) => {
  expect(fate(operator, operands, attributes)).toBe(expected);
});
