import { anyUnary } from "./layouts.fixture.ts";
import { erf, unary } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  gelu: {
    types: [["FP64[batch]", { approximation: "tanh" }, "FP64[batch]"]],
    problems: [
      [
        "FP64[4]",
        { approximation: "none" },
        "dtype/not-supported: ONNX Runtime does not support erf for FP64[4]",
      ],
      [
        "FP32[4]",
        { approximation: "fast" },
        'operator/bad-option: the approximations are "none" and "tanh", got "fast"',
      ],
    ],
    nodes: [
      [
        "FP32[batch]",
        { approximation: "none" },
        [
          `Mul(x0, FP32{${Math.fround(Math.SQRT1_2)}})`,
          "Erf(%1)",
          "Add(%2, FP32{1})",
          "Mul(x0, FP32{0.5})",
          "Mul(%4, %3)",
          "→ %5",
        ],
      ],
    ],
    dtypes: ["FP16", "FP32"],
    layout: anyUnary.map((layout) => ({ ...layout, attributes: { approximation: "none" } })),
    reference: unary((x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2))),
    example: ({ hidden }) => hidden.gelu(),
  },
};
