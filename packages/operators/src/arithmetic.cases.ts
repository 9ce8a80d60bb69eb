import { numbers, ranked } from "./dtypes.fixture.ts";
import { anyBinary } from "./layouts.fixture.ts";
import { arithmetic } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

const truncated = (a: bigint, b: bigint): bigint => a / b;

export const cases: CasesOf = {
  add: {
    types: [
      ["FP32[batch, seq, 384] ; FP32[seq, 384]", {}, "FP32[batch, seq, 384]"],
      ["FP32[batch, 384] ; FP32[]", {}, "FP32[batch, 384]"],
      ["FP32[batch, -1] ; FP32[batch, 384]", {}, "FP32[batch, 384]"],
      ["FP32[batch, -1] ; FP32[batch, seq]", {}, "FP32[batch, -1]"],
      ["FP32[-1] ; FP32[1]", {}, "FP32[-1]"],
      ["FP32[batch, 1] ; FP32[1, seq]", {}, "FP32[batch, seq]"],
    ],
    problems: [
      [
        "FP32[batch, seq, 384] ; INT64[batch, seq, 1]",
        {},
        "dtype/mismatch: FP32[batch, seq, 384] and INT64[batch, seq, 1] have different dtypes: ONNX never promotes, so cast one of them",
      ],
      ["BYTES[2] ; BYTES[2]", {}, "dtype/not-supported: BYTES does not support arithmetic"],
      ["FP32[4] ; BF16[4]", {}, "dtype/not-supported: BF16[4]: ONNX Runtime has no BF16 tensors in Triton"],
      [
        "FP32[batch, 384] ; FP32[batch, 768]",
        {},
        "shape/no-broadcast: FP32[batch, 384] and FP32[batch, 768] do not broadcast",
      ],
      ["FP32[batch] ; FP32[seq]", {}, "shape/no-broadcast: FP32[batch] and FP32[seq] do not broadcast"],
      ["FP32[seq] ; FP32[4]", {}, "shape/no-broadcast: FP32[seq] and FP32[4] do not broadcast"],
    ],
    batch: [
      ["FP32[batch, 4] ; FP32[batch, 4]", {}, ""],
      ["FP32[batch, 4] ; FP32[4]", {}, ""],
      ["FP32[batch] ; FP32[batch, 1]", {}, "0 moves"],
    ],
    padding: [["FP32[batch, seq, 8] ; FP32[batch, seq=0, 1]", {}, [undefined, undefined, undefined]]],
    nodes: [["FP32[batch] ; FP32[]", {}, ["Add(x0, x1)", "→ %1"]]],
    dtypes: numbers,
    layout: anyBinary,
    reference: arithmetic(
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    example: ({ scores, other }) => scores.add(other),
  },
  sub: {
    padding: [["FP32[]=1 ; FP32[batch, seq=0, 1]", {}, [undefined, 1, undefined]]],
    dtypes: numbers,
    layout: anyBinary,
    reference: arithmetic(
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    example: ({ scores }) => scores.sub(1),
  },
  mul: {
    nodes: [
      ["FP32[batch] ; FP32[]", {}, ["Mul(x0, x1)", "→ %1"]],
      ["FP64[batch] ; FP64[batch]", {}, ["Mul(x0, x1)", "→ %1"]],
      ["FP64[batch] ; FP64[]", {}, ["Sum(x0)", "Mul(%1, x1)", "Sum(%2)", "→ %3"]],
      ["FP64[1] ; FP64[batch, 2]", {}, ["Sum(x1)", "Mul(x0, %1)", "Sum(%2)", "→ %3"]],
    ],
    problems: [["BOOL[2] ; BOOL[2]", {}, "dtype/not-supported: BOOL does not support arithmetic"]],
    padding: [
      ["FP32[batch, seq, 8] ; FP32[batch, seq=0, 1]", {}, [undefined, 0, undefined]],
      ["FP32[batch, seq=3, 8] ; FP32[batch, seq=2, 1]", {}, [undefined, 6, undefined]],
    ],
    dtypes: numbers,
    layout: anyBinary,
    reference: arithmetic(
      (a, b) => a * b,
      (a, b) => a * b,
    ),
    example: ({ scores, one }) => scores.mul(one),
  },
  div: {
    nodes: [["FP64[batch] ; FP64[1, 1]", {}, ["Sum(x0)", "Div(%1, x1)", "Sum(%2)", "→ %3"]]],
    doubts: [
      [
        "UINT8[batch, 3] ; UINT8[]=255",
        {},
        "dtype/integer-quotient: UINT8[batch, 3] by 255 gives only 0 or 1, because integer quotients are rounded towards zero",
      ],
      ["UINT8[batch, 3] ; UINT8[]=127", {}, ""],
      [
        "INT8[batch, 3] ; INT8[]=-65",
        {},
        "dtype/integer-quotient: INT8[batch, 3] by -65 gives only -1, 0 or 1, because integer quotients are rounded towards zero",
      ],
      ["INT8[batch, 3] ; INT8[]=64", {}, ""],
      ["INT32[batch, 3] ; INT32[]=255", {}, ""],
      ["UINT8[batch, 3] ; UINT8[batch, 3]", {}, ""],
      ["FP32[batch, 3] ; FP32[]=255", {}, ""],
    ],
    dtypes: ranked,
    layout: anyBinary,
    divides: true,
    reference: arithmetic((a, b) => a / b, truncated),
    example: ({ scores, other }) => scores.div(other),
  },
  mod: {
    dtypes: ranked,
    layout: anyBinary,
    divides: true,
    reference: arithmetic(
      (a, b) => a % b,
      (a, b) => a % b,
    ),
    example: ({ ids }) => ids.mod(7),
  },
  pow: {
    problems: [
      ["UINT64[4] ; UINT64[]", {}, "dtype/not-supported: ONNX Runtime does not support pow for UINT64[4]"],
    ],
    dtypes: ranked,
    layout: anyBinary,
    example: ({ scores }) => scores.pow(2),
  },
  minimum: {
    dtypes: numbers,
    layout: anyBinary,
    reference: arithmetic(
      (a, b) => Math.min(a, b),
      (a, b) => (a < b ? a : b),
    ),
    example: ({ scores, other }) => scores.minimum(other),
  },
  maximum: {
    dtypes: numbers,
    layout: anyBinary,
    reference: arithmetic(
      (a, b) => Math.max(a, b),
      (a, b) => (a > b ? a : b),
    ),
    example: ({ scores }) => scores.maximum(0),
  },
};
