import { type Dim, type DType, showType, type TensorType } from "@tritype/core";
import { describe, expect, it } from "vitest";
import { type Attributes, operators } from "./index.ts";

/** `FP32[batch, 4]` → the type it denotes. */
const parseType = (text: string): TensorType => {
  const [, dtype, dims = ""] = /^(\w+)\[(.*)\]$/.exec(text) ?? [];
  const parts = dims === "" ? [] : dims.split(", ");
  return { dtype: dtype as DType, dims: parts.map((dim): Dim => (/^-?\d+$/.test(dim) ? Number(dim) : dim)) };
};

/** The result types, or `code: sentence`. */
const infer = (operator: string, operands: string, attributes: Attributes): string => {
  const types = operands === "" ? [] : operands.split(" ; ").map(parseType);
  const { outputs, problem } = operators.get(operator)?.infer(types, attributes) ?? {};
  if (problem !== undefined) return `${problem.code}: ${problem.message}`;
  return Object.values(outputs ?? {})
    .map(showType)
    .join(" ; ");
};

const names = ["batch", -1, 4];

describe("types", () => {
  it.each<[string, string, Attributes, string]>([
    ["add", "FP32[batch, seq, 384] ; FP32[seq, 384]", {}, "FP32[batch, seq, 384]"],
    ["add", "FP32[batch, 384] ; FP32[]", {}, "FP32[batch, 384]"],
    ["add", "FP32[batch, -1] ; FP32[batch, 384]", {}, "FP32[batch, 384]"],
    ["add", "FP32[batch, -1] ; FP32[batch, seq]", {}, "FP32[batch, -1]"],
    ["add", "FP32[-1] ; FP32[1]", {}, "FP32[-1]"],
    ["add", "FP32[batch, 1] ; FP32[1, seq]", {}, "FP32[batch, seq]"],
    ["gt", "INT64[batch, 4] ; INT64[]", {}, "BOOL[batch, 4]"],
    ["eq", "BOOL[batch] ; BOOL[batch]", {}, "BOOL[batch]"],
    ["and", "BOOL[batch, 1] ; BOOL[4]", {}, "BOOL[batch, 4]"],
    ["clip", "FP32[batch]", { min: 1e-9, max: "Infinity" }, "FP32[batch]"],
    ["clip", "INT64[batch]", { min: "-9223372036854775808", max: 7 }, "INT64[batch]"],
    ["cast", "INT64[batch, seq]", { to: "FP32" }, "FP32[batch, seq]"],
    ["softmax", "FP32[batch, 3]", { axis: -1 }, "FP32[batch, 3]"],
    ["mean", "FP32[batch, seq, 384]", { axis: "seq" }, "FP32[batch, 384]"],
    ["mean", "FP32[batch, seq#2, 384]", { axis: "seq", keepDims: true }, "FP32[batch, 1, 384]"],
    ["sum", "UINT8[4]", { axis: 0 }, "UINT8[]"],
    ["argmax", "FP32[batch, 3]", { axis: -1 }, "INT64[batch]"],
    ["topK", "FP32[batch, 10]", { k: 3, axis: -1 }, "FP32[batch, 3] ; INT64[batch, 3]"],
    ["matmul", "FP32[batch, seq, 384] ; FP32[384, 8]", {}, "FP32[batch, seq, 8]"],
    ["matmul", "FP32[batch, 2, k] ; FP32[batch, -1, 8]", {}, "FP32[batch, 2, 8]"],
    ["matmul", "FP32[384] ; FP32[batch, 384, 8]", {}, "FP32[batch, 8]"],
    ["matmul", "FP32[batch, 8, 384] ; FP32[384]", {}, "FP32[batch, 8]"],
    ["matmul", "FP32[4] ; FP32[4]", {}, "FP32[]"],
    ["unsqueeze", "FP32[batch, 4]", { axis: -1 }, "FP32[batch, 4, 1]"],
    ["unsqueeze", "FP32[batch, 4]", { axis: -3 }, "FP32[1, batch, 4]"],
    ["squeeze", "FP32[batch, 1, -1]", { axis: 1 }, "FP32[batch, -1]"],
    ["squeeze", "FP32[batch, 1, -1]", { axis: -1 }, "FP32[batch, 1]"],
    ["transpose", "FP32[batch, seq, 4]", { axes: [0, 2, 1] }, "FP32[batch, 4, seq]"],
    ["reshape", "FP32[batch, 3, 4]", { dims: ["batch", 12] }, "FP32[batch, 12]"],
    ["reshape", "FP32[batch, 3, 4]", { dims: ["batch", -1] }, "FP32[batch, 12]"],
    ["reshape", "FP32[batch, seq, 4]", { dims: [-1, "seq", 4] }, "FP32[batch, seq, 4]"],
    ["reshape", "FP32[batch, seq, 4]", { dims: [-1, 4] }, "FP32[-1, 4]"],
    ["reshape", "FP32[batch, -1]", { dims: ["batch", 12] }, "FP32[batch, 12]"],
    ["reshape", "FP32[batch, seq#1, 4]", { dims: [4, "batch", "seq"] }, "FP32[4, batch, seq]"],
    ["reshape", "FP32[1, 1]", { dims: [] }, "FP32[]"],
    ["expand", "FP32[batch, 1]", { dims: ["batch", 4] }, "FP32[batch, 4]"],
    ["expand", "FP32[batch, 1]", { dims: [5, -1, -1] }, "FP32[5, batch, 1]"],
    ["expand", "FP32[seq, 1]", { dims: [-1, "seq"] }, "FP32[seq, seq]"],
    ["slice", "FP32[batch, 10]", { axis: 1, start: 2, end: -1 }, "FP32[batch, 7]"],
    ["slice", "FP32[batch, 10]", { axis: 1, start: 8, end: 100 }, "FP32[batch, 2]"],
    ["slice", "FP32[batch, 10]", { axis: 1, start: 5, end: 3 }, "FP32[batch, 0]"],
    ["slice", "FP32[batch, seq]", { axis: "seq", start: 0 }, "FP32[batch, seq]"],
    ["slice", "FP32[batch, seq]", { axis: "seq", start: 1 }, "FP32[batch, -1]"],
    ["gather", "FP32[batch, seq, 4]", { axis: "seq", index: 0 }, "FP32[batch, 4]"],
    ["gather", "FP32[10, 4] ; INT64[batch, seq]", { axis: 0 }, "FP32[batch, seq, 4]"],
    ["ensureDims", "FP32[-1, -1, 4]", { dims: ["batch", 7, -1] }, "FP32[batch, 7, 4]"],
    ["ensureDims", "FP32[batch, tokens]", { dims: ["batch", "seq"] }, "FP32[batch, seq]"],
    ["where", "BOOL[batch, 1] ; FP32[batch, 4] ; FP32[]", {}, "FP32[batch, 4]"],
    ["where", "BOOL[3] ; BYTES[3] ; BYTES[1]", {}, "BYTES[3]"],
    ["concat", "FP32[batch, 4] ; FP32[batch, 5]", { axis: -1 }, "FP32[batch, 9]"],
    ["concat", "FP32[-1, seq] ; FP32[batch, 5]", { axis: 1 }, "FP32[batch, -1]"],
    ["concat", "FP32[batch, seq]", { axis: "seq" }, "FP32[batch, seq]"],
    ["constant", "", { dtype: "FP32", dims: [2], values: [1, "-Infinity"] }, "FP32[2]"],
    ["constant", "", { dtype: "UINT64", dims: [], values: ["18446744073709551615"] }, "UINT64[]"],
    ["lookup", "INT64[batch, 1]", { labels: ["no", "yes"] }, "BYTES[batch, 1]"],
    ["identity", "BYTES[batch, 1]", {}, "BYTES[batch, 1]"],
  ])("%s %s %j → %s", (operator, operands, attributes, expected) => {
    expect(infer(operator, operands, attributes)).toBe(expected);
  });
});

describe("problems", () => {
  it.each<[string, string, Attributes, string]>([
    [
      "add",
      "FP32[batch, seq, 384] ; INT64[batch, seq, 1]",
      {},
      "dtype/mismatch: FP32[batch, seq, 384] meets INT64[batch, seq, 1]: ONNX never promotes, cast one side",
    ],
    [
      "matmul",
      "FP32[2, 3] ; FP16[3, 2]",
      {},
      "dtype/mismatch: FP32[2, 3] meets FP16[3, 2]: ONNX never promotes, cast one side",
    ],
    [
      "where",
      "FP32[2] ; FP32[2] ; FP32[2]",
      {},
      "dtype/mismatch: FP32[2] is not BOOL: compare first, as in .gt(0)",
    ],
    ["not", "INT64[2]", {}, "dtype/mismatch: INT64[2] is not BOOL: compare first, as in .gt(0)"],
    [
      "concat",
      "FP32[2, 3] ; FP16[2, 3]",
      { axis: 0 },
      "dtype/mismatch: FP16[2, 3]: every tensor of a concat has the dtype of the first",
    ],
    [
      "gather",
      "FP32[4] ; FP32[2]",
      { axis: 0 },
      "dtype/mismatch: FP32[2] holds no indices: .cast(int64) first",
    ],
    [
      "lookup",
      "UINT8[2]",
      { labels: ["a"] },
      "dtype/mismatch: UINT8[2] holds no indices: .cast(int64) first",
    ],
    [
      "constant",
      "",
      { dtype: "INT64", dims: [], values: [0.5] },
      "dtype/mismatch: 0.5 is not an integer, the tensor is INT64[]: cast it first",
    ],
    [
      "constant",
      "",
      { dtype: "BOOL", dims: [1], values: [1] },
      "dtype/mismatch: 1 is not an element of BOOL[1]",
    ],
    [
      "constant",
      "",
      { dtype: "INT8", dims: [1], values: ["NaN"] },
      'dtype/mismatch: "NaN" is not an element of INT8[1]',
    ],
    [
      "constant",
      "",
      { dtype: "FP32", dims: [1], values: ["1"] },
      'dtype/mismatch: "1" is not an element of FP32[1]',
    ],
    ["add", "BYTES[2] ; BYTES[2]", {}, "dtype/not-supported: BYTES has no arithmetic"],
    ["eq", "BYTES[2] ; BYTES[2]", {}, "dtype/not-supported: BYTES has no arithmetic"],
    ["mul", "BOOL[2] ; BOOL[2]", {}, "dtype/not-supported: BOOL has no arithmetic"],
    ["gt", "BOOL[2] ; BOOL[2]", {}, "dtype/not-supported: BOOL has no order"],
    [
      "sqrt",
      "INT64[batch, 4]",
      {},
      "dtype/not-supported: INT64[batch, 4] is not floating point: .cast(fp32) first",
    ],
    ["sum", "BOOL[batch, 4]", { axis: 1 }, "dtype/not-supported: BOOL[batch, 4] has no numbers"],
    ["neg", "UINT8[4]", {}, "dtype/not-supported: UINT8 has no negative numbers"],
    ["pow", "UINT64[4] ; UINT64[]", {}, "dtype/not-supported: UINT64[4] has no pow in ONNX Runtime"],
    ["max", "UINT64[4]", { axis: 0 }, "dtype/not-supported: UINT64[4] has no max in ONNX Runtime"],
    [
      "add",
      "FP32[4] ; BF16[4]",
      {},
      "dtype/not-supported: BF16[4]: ONNX Runtime has no BF16 tensors in Triton",
    ],
    [
      "cast",
      "FP32[4]",
      { to: "BF16" },
      "dtype/not-supported: FP32[4] cast to BF16: ONNX Runtime has no BF16 tensors in Triton",
    ],
    [
      "constant",
      "",
      { dtype: "BF16", dims: [], values: [1] },
      "dtype/not-supported: BF16[]: ONNX Runtime has no BF16 tensors in Triton",
    ],
    ["cast", "FP32[4]", { to: "f32" }, 'dtype/not-supported: "f32" is not a dtype'],
    [
      "constant",
      "",
      { dtype: "INT8", dims: [], values: [128] },
      "dtype/out-of-range: 128 does not fit INT8, which holds -128 to 127",
    ],
    [
      "constant",
      "",
      { dtype: "UINT64", dims: [], values: ["18446744073709551616"] },
      "dtype/out-of-range: 18446744073709551616 does not fit UINT64, which holds 0 to 18446744073709551615",
    ],
    [
      "constant",
      "",
      { dtype: "FP16", dims: [], values: [65520] },
      "dtype/out-of-range: 65520 does not fit FP16, whose largest number is 65504",
    ],
    [
      "constant",
      "",
      { dtype: "FP32", dims: [], values: [1e39] },
      "dtype/out-of-range: 1e+39 does not fit FP32, whose largest number is 3.4e38",
    ],
    [
      "clip",
      "UINT8[4]",
      { min: -1, max: 5 },
      "dtype/out-of-range: -1 does not fit UINT8, which holds 0 to 255",
    ],
    ["clip", "FP32[4]", { min: "NaN", max: 5 }, "dtype/out-of-range: NaN is no min of clip"],
    [
      "clip",
      "FP32[4]",
      { min: 3, max: 1 },
      "dtype/out-of-range: clip keeps what lies between 3 and 1: min is larger than max",
    ],
    [
      "clip",
      "INT32[4]",
      { min: 0.5, max: 1 },
      "dtype/mismatch: 0.5 is not an integer, the tensor is INT32[4]: cast it first",
    ],
    [
      "add",
      "FP32[batch, 384] ; FP32[batch, 768]",
      {},
      "shape/no-broadcast: FP32[batch, 384] and FP32[batch, 768] do not broadcast",
    ],
    ["add", "FP32[batch] ; FP32[seq]", {}, "shape/no-broadcast: FP32[batch] and FP32[seq] do not broadcast"],
    ["add", "FP32[seq] ; FP32[4]", {}, "shape/no-broadcast: FP32[seq] and FP32[4] do not broadcast"],
    ["where", "BOOL[3] ; FP32[4] ; FP32[1]", {}, "shape/no-broadcast: BOOL[3] and FP32[4] do not broadcast"],
    [
      "expand",
      "FP32[batch, 384]",
      { dims: ["batch", 768] },
      "shape/no-broadcast: FP32[batch, 384] and [batch, 768] do not broadcast",
    ],
    [
      "matmul",
      "FP32[2, 4, 5] ; FP32[3, 5, 6]",
      {},
      "shape/no-broadcast: FP32[2, 4, 5] · FP32[3, 5, 6]: the outer sizes do not broadcast",
    ],
    [
      "matmul",
      "FP32[] ; FP32[4]",
      {},
      "shape/rank-mismatch: FP32[] · FP32[4]: a matrix product needs at least one axis on both sides",
    ],
    [
      "transpose",
      "FP32[batch, seq, 384]",
      { axes: [0, 2] },
      "shape/rank-mismatch: transpose of [batch, seq, 384] needs 3 axes",
    ],
    [
      "ensureDims",
      "FP32[batch, 4]",
      { dims: names },
      "shape/rank-mismatch: [batch, -1, 4] contradicts [batch, 4]",
    ],
    [
      "concat",
      "FP32[2, 3] ; FP32[2]",
      { axis: 0 },
      "shape/rank-mismatch: FP32[2] differs from [2, 3] outside the axis",
    ],
    ["concat", "", { axis: 0 }, "shape/rank-mismatch: concat joins at least one tensor, got none"],
    [
      "matmul",
      "FP32[batch, 8, 384] ; FP32[batch, 768, 8]",
      {},
      "shape/dim-mismatch: FP32[batch, 8, 384] · FP32[batch, 768, 8]: the inner sizes differ",
    ],
    [
      "squeeze",
      "FP32[batch, seq, 384]",
      { axis: 2 },
      "shape/dim-mismatch: only an axis of size 1 can go: 2 of [batch, seq, 384] is 384",
    ],
    [
      "squeeze",
      "FP32[batch, seq#3]",
      { axis: "seq" },
      "shape/dim-mismatch: only an axis of size 1 can go: seq of [batch, seq] is seq",
    ],
    [
      "concat",
      "FP32[batch, seq, 4] ; FP32[batch, 2, 4]",
      { axis: -1 },
      "shape/dim-mismatch: FP32[batch, 2, 4] differs from [batch, seq, 4] outside the axis",
    ],
    [
      "ensureDims",
      "FP32[batch, 4]",
      { dims: ["batch", 5] },
      "shape/dim-mismatch: [batch, 5] contradicts [batch, 4]",
    ],
    [
      "ensureDims",
      "FP32[batch, 4]",
      { dims: ["batch", "n"] },
      "shape/dim-mismatch: [batch, n] contradicts [batch, 4]",
    ],
    [
      "topK",
      "FP32[batch, 3]",
      { k: 5, axis: 1 },
      "shape/dim-mismatch: topK takes 5 of axis 1 of FP32[batch, 3], which has 3",
    ],
    [
      "topK",
      "FP32[batch, 3]",
      { k: 0, axis: 1 },
      "shape/dim-mismatch: topK takes a whole number of 1 or more, got 0",
    ],
    [
      "reshape",
      "FP32[2, 6]",
      { dims: [5, 2] },
      "shape/bad-reshape: FP32[2, 6] has 12 elements, [5, 2] has 10",
    ],
    [
      "reshape",
      "FP32[batch, 6]",
      { dims: ["batch", 4] },
      "shape/bad-reshape: FP32[batch, 6] has 6·batch elements, [batch, 4] has 4·batch",
    ],
    [
      "reshape",
      "FP32[n, 4]",
      { dims: ["n", "n"] },
      "shape/bad-reshape: FP32[n, 4] has 4·n elements, [n, n] has n·n",
    ],
    [
      "reshape",
      "FP32[2, 3]",
      { dims: [4, -1] },
      "shape/bad-reshape: FP32[2, 3] has 6 elements, which [4, -1] does not divide",
    ],
    ["reshape", "FP32[2, 3]", { dims: [-1, -1] }, "shape/bad-reshape: [-1, -1] has more than one -1"],
    ["reshape", "FP32[-1]", { dims: [3, 0] }, "shape/bad-reshape: [3, 0] asks for a size of 0"],
    [
      "reshape",
      "FP32[2, 3]",
      { dims: [1.5, -1] },
      "shape/bad-reshape: 1.5 is not a dim: it is a size, a name of [2, 3] or -1",
    ],
    [
      "expand",
      "FP32[batch, 4]",
      { dims: [-1, -1, 4] },
      "shape/bad-reshape: -1 keeps a size, and [batch, 4] has none there: expand to [-1, -1, 4]",
    ],
    [
      "constant",
      "",
      { dtype: "INT64", dims: [2, 2], values: [1, 2, 3] },
      "shape/bad-constant: INT64[2, 2] holds 4 elements, got 3",
    ],
    [
      "constant",
      "",
      { dtype: "INT64", dims: ["batch"], values: [1] },
      "shape/bad-constant: a constant has literal sizes, got [batch]",
    ],
    [
      "lookup",
      "INT64[2]",
      { labels: [] },
      "shape/bad-constant: lookup takes a list of one or more texts, got []",
    ],
    ["mean", "FP32[batch, seq, 4]", { axis: "len" }, "axis/unknown: no dim named len in [batch, seq, 4]"],
    [
      "reshape",
      "FP32[batch, seq, 4]",
      { dims: ["batch", "len", 4] },
      "axis/unknown: no dim named len in [batch, seq, 4]",
    ],
    ["expand", "FP32[batch, 1]", { dims: ["batch", "seq"] }, "axis/unknown: no dim named seq in [batch, 1]"],
    ["softmax", "FP32[4]", { axis: 0.5 }, "axis/unknown: an axis is a name or a whole number, got 0.5"],
    ["unsqueeze", "FP32[4]", { axis: "seq" }, 'axis/unknown: a new axis has a number, got "seq"'],
    [
      "sum",
      "FP32[batch, 4]",
      { axis: 2 },
      "axis/out-of-range: axis 2 is outside [batch, 4]: its axes are -2 to 1",
    ],
    ["sum", "FP32[]", { axis: 0 }, "axis/out-of-range: axis 0 is outside []: a scalar has no axes"],
    [
      "unsqueeze",
      "FP32[4]",
      { axis: 2 },
      "axis/out-of-range: axis 2 is outside [4] with one axis more: its axes are -2 to 1",
    ],
    [
      "transpose",
      "FP32[batch, 4]",
      { axes: [0, -2] },
      "axis/out-of-range: transpose of [batch, 4] takes every axis once",
    ],
    [
      "gather",
      "FP32[batch, 4]",
      { axis: 1, index: 4 },
      "axis/out-of-range: index 4 is outside axis 1 of [batch, 4], which has 4",
    ],
    ["gather", "FP32[batch, 4]", { axis: 1 }, "axis/out-of-range: gather takes whole numbers, got undefined"],
    [
      "slice",
      "FP32[4]",
      { axis: 0, start: 0, end: 1.5 },
      "axis/out-of-range: slice takes whole numbers, got 1.5",
    ],
    ["mean", "FP32[n, n]", { axis: "n" }, "axis/ambiguous: n names axes 0 and 1 of [n, n]"],
    ["mean", "FP32[seq#1, seq#2]", { axis: "seq" }, "axis/ambiguous: seq names axes 0 and 1 of [seq, seq]"],
    [
      "reshape",
      "FP32[2, seq#1, seq#2]",
      { dims: ["seq", -1] },
      "axis/ambiguous: seq names several sizes of [2, seq, seq]",
    ],
  ])("%s %s %j → %s", (operator, operands, attributes, expected) => {
    expect(infer(operator, operands, attributes)).toBe(expected);
  });

  it("names the operand at fault and the way out", () => {
    const [a, b] = [parseType("FP32[batch, seq#1]"), parseType("FP32[batch, seq#2]")];
    expect(operators.get("add")?.infer([a, b], {}).problem).toEqual({
      code: "shape/no-broadcast",
      message: "FP32[batch, seq] and FP32[batch, seq] do not broadcast",
      operand: 1,
      help: "Dims of the same name come from different calls here, so their sizes may differ: take both tensors from one call.",
    });
  });
});
