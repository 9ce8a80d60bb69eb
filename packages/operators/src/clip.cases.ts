import { numbers } from "./dtypes.fixture.ts";
import { anyUnary } from "./layouts.fixture.ts";
import { unary } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  clip: {
    types: [
      ["FP32[batch]", { min: 1e-9, max: "Infinity" }, "FP32[batch]"],
      ["INT64[batch]", { min: "-9223372036854775808", max: 7 }, "INT64[batch]"],
    ],
    problems: [
      ["UINT8[4]", { min: -1, max: 5 }, "dtype/out-of-range: -1 does not fit UINT8, whose range is 0 to 255"],
      ["FP32[4]", { min: "NaN", max: 5 }, "dtype/out-of-range: NaN is not a valid min of clip"],
      [
        "FP32[4]",
        { min: 3, max: 1 },
        "dtype/out-of-range: clip has the bounds 3 and 1, but min is larger than max",
      ],
      [
        "INT32[4]",
        { min: 0.5, max: 1 },
        "dtype/mismatch: 0.5 is not an integer, but the tensor is INT32[4]: cast it first",
      ],
    ],
    nodes: [
      [
        "FP32[batch]",
        { min: 1e-9, max: "Infinity" },
        [`Clip(x0, FP32{${Math.fround(1e-9)}}, FP32{Infinity})`, "→ %1"],
      ],
      ["FP32[batch]", { min: "-Infinity", max: 1 }, ["Clip(x0, FP32{-Infinity}, FP32{1})", "→ %1"]],
    ],
    dtypes: numbers,
    layout: anyUnary.map((layout) => ({ ...layout, attributes: { min: 1, max: "Infinity" } })),
    reference: unary((x) => Math.max(1, x)),
    example: ({ scores }) => scores.clip(0, 1),
  },
};
