import * as fc from "fast-check";
import { fp32 } from "../../dsl/src/index.ts";
import { runnable } from "./dtypes.fixture.ts";
import { anyUnary } from "./layouts.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  cast: {
    types: [["INT64[batch, seq]", { to: "FP32" }, "FP32[batch, seq]"]],
    problems: [
      [
        "FP32[4]",
        { to: "BF16" },
        "dtype/not-supported: FP32[4] cast to BF16: ONNX Runtime has no BF16 tensors in Triton",
      ],
      ["FP32[4]", { to: "f99" }, 'dtype/not-supported: "f99" is not a dtype'],
    ],
    padding: [
      ["INT64[batch, seq=0, 1]", { to: "FP32" }, [undefined, 0, undefined]],
      ["INT64[batch, seq=300, 1]", { to: "INT8" }, [undefined, undefined, undefined]],
    ],
    dtypes: runnable,
    layout: anyUnary.chain((layout) =>
      fc.constantFrom(...runnable).map((to) => ({ ...layout, attributes: { to } })),
    ),
    example: ({ ids }) => ids.cast(fp32),
  },
};
