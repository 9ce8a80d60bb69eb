import { elementCount } from "@tritype/core";
import { dimsOf } from "./layouts.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  constant: {
    types: [
      ["", { dtype: "FP32", dims: [2], values: [1, "-Infinity"] }, "FP32[2]"],
      ["", { dtype: "UINT64", dims: [], values: ["18446744073709551615"] }, "UINT64[]"],
    ],
    problems: [
      [
        "",
        { dtype: "INT64", dims: [], values: [0.5] },
        "dtype/mismatch: 0.5 is not an integer, but the tensor is INT64[]: cast it first",
      ],
      ["", { dtype: "BOOL", dims: [1], values: [1] }, "dtype/mismatch: 1 is not an element of BOOL[1]"],
      [
        "",
        { dtype: "INT8", dims: [1], values: ["NaN"] },
        'dtype/mismatch: "NaN" is not an element of INT8[1]',
      ],
      ["", { dtype: "FP32", dims: [1], values: ["1"] }, 'dtype/mismatch: "1" is not an element of FP32[1]'],
      [
        "",
        { dtype: "BF16", dims: [], values: [1] },
        "dtype/not-supported: BF16[]: ONNX Runtime has no BF16 tensors in Triton",
      ],
      [
        "",
        { dtype: "INT8", dims: [], values: [128] },
        "dtype/out-of-range: 128 does not fit INT8, whose range is -128 to 127",
      ],
      [
        "",
        { dtype: "UINT64", dims: [], values: ["18446744073709551616"] },
        "dtype/out-of-range: 18446744073709551616 does not fit UINT64, whose range is 0 to 18446744073709551615",
      ],
      [
        "",
        { dtype: "FP16", dims: [], values: [65520] },
        "dtype/out-of-range: 65520 does not fit FP16, whose largest number is 65504",
      ],
      [
        "",
        { dtype: "FP32", dims: [], values: [1e39] },
        "dtype/out-of-range: 1e+39 does not fit FP32, whose largest number is 3.4e38",
      ],
      [
        "",
        { dtype: "INT64", dims: [2, 2], values: [1, 2, 3] },
        "shape/bad-constant: INT64[2, 2] has 4 elements, got 3",
      ],
      [
        "",
        { dtype: "FP32", dims: [], values: [1, 2] },
        "shape/bad-constant: a list of 2 values needs dims after it, such as constant(fp32, […], 2)",
      ],
      [
        "",
        { dtype: "INT64", dims: ["batch"], values: [1] },
        "shape/bad-constant: a constant needs literal sizes, got [batch]",
      ],
    ],
    nodes: [["", { dtype: "FP32", dims: [], values: ["-Infinity"] }, ["→ FP32{-Infinity}"]]],
    layout: dimsOf(0, 3).map((dims) => ({
      operands: [],
      attributes: {
        dtype: "FP32",
        dims,
        values: Array.from({ length: elementCount(dims) }, (_, i) => i / 2),
      },
    })),
    example: ({ scores }, { constant, fp32 }) =>
      scores.mul(constant(fp32, [0.5, 2, 1, 1, 1, 1, 1, 1, 1, 1], 10)),
  },
};
