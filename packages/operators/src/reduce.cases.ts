import type { Scalar } from "@tritype/core";
import { floats, numbers, ranked } from "./dtypes.fixture.ts";
import { reduction, reductionOfFull, reductionOfNone } from "./layouts.fixture.ts";
import { largest, product, reduce, smallest, total } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

const logSumExp = (elements: readonly Scalar[]): number => {
  const top = Math.max(...(elements as number[]));
  if (!Number.isFinite(top)) return top;
  return top + Math.log((elements as number[]).reduce((a, b) => a + Math.exp(b - top), 0));
};

export const cases: CasesOf = {
  sum: {
    types: [["UINT8[4]", { axis: 0 }, "UINT8[]"]],
    problems: [
      ["BOOL[batch, 4]", { axis: 1 }, "dtype/not-supported: BOOL[batch, 4] does not contain numbers"],
      [
        "FP32[batch, 4]",
        { axis: 2 },
        "axis/out-of-range: axis 2 is outside [batch, 4]: its axes are -2 to 1",
      ],
      ["FP32[]", { axis: 0 }, "axis/out-of-range: axis 0 is outside []: a scalar has no axes"],
    ],
    doubts: [
      [
        "UINT8[batch, 4]",
        { axis: 1 },
        "dtype/wraps-around: the result for UINT8[batch, 4] is UINT8 too, and wraps around outside 0 to 255",
      ],
      [
        "INT16[batch, n]",
        { axis: 1 },
        "dtype/wraps-around: the result for INT16[batch, n] is INT16 too, and wraps around outside -32768 to 32767",
      ],
      ["UINT8[batch, 1]", { axis: 1 }, ""],
      ["INT32[batch, 4]", { axis: 1 }, ""],
      ["FP16[batch, 4]", { axis: 1 }, ""],
    ],
    batch: [
      ["FP32[4, batch]", { axis: 0 }, "0 moves"],
      ["FP32[4, batch]", { axis: 0, keepDims: true }, ""],
    ],
    padding: [["FP32[batch, seq=0, 8]", { axis: -1 }, [undefined, 0]]],
    ignoresPadding: [
      ["FP32[batch, seq=0, 8]", { axis: 1 }, true],
      ["FP32[batch, seq, 8]", { axis: 1 }, false],
    ],
    nodes: [
      ["FP32[batch, seq, 4]", { axis: "seq" }, ["ReduceSum(x0, INT64{1}) keepdims=0", "→ %1"]],
      [
        "UINT8[4]",
        { axis: 0 },
        ["Cast(x0) to=7", "ReduceSum(%1, INT64{0}) keepdims=0", "Cast(%2) to=2", "→ %3"],
      ],
    ],
    dtypes: numbers,
    layout: reductionOfNone,
    reference: reduce(total),
    example: ({ hidden }) => hidden.sum("seq"),
  },
  mean: {
    types: [
      ["FP32[batch, seq, 384]", { axis: "seq" }, "FP32[batch, 384]"],
      ["FP32[batch, seq#2, 384]", { axis: "seq", keepDims: true }, "FP32[batch, 1, 384]"],
    ],
    problems: [
      ["FP32[batch, seq, 4]", { axis: "len" }, "axis/unknown: no dim named len in [batch, seq, 4]"],
      [
        "FP32[batch, 4]",
        { axis: [0, 1] },
        "axis/unknown: an axis must be a name or a whole number, got [0,1]",
      ],
      ["FP32[n, n]", { axis: "n" }, "axis/ambiguous: n names axes 0 and 1 of [n, n]"],
      ["FP32[seq#1, seq#2]", { axis: "seq" }, "axis/ambiguous: seq names axes 0 and 1 of [seq, seq]"],
    ],
    batch: [
      ["FP32[batch, 4]", { axis: 1 }, ""],
      ["FP32[batch, 4]", { axis: 0 }, "0 reduces over"],
    ],
    ignoresPadding: [["FP32[batch, seq=0, 8]", { axis: 1 }, false]],
    nodes: [["FP32[batch, seq, 4]", { axis: "seq" }, ["ReduceMean(x0) axes=1 keepdims=0", "→ %1"]]],
    dtypes: floats,
    layout: reduction,
    reference: reduce((elements) => Number(total(elements)) / elements.length),
    example: ({ hidden }) => hidden.mean("seq", { keepDims: true }),
  },
  prod: {
    problems: [
      ["FP64[4]", { axis: 0 }, "dtype/not-supported: ONNX Runtime does not support prod for FP64[4]"],
    ],
    doubts: [
      [
        "INT8[4]",
        { axis: 0 },
        "dtype/wraps-around: the result for INT8[4] is INT8 too, and wraps around outside -128 to 127",
      ],
    ],
    ignoresPadding: [["FP32[batch, seq=1, 8]", { axis: 1 }, true]],
    dtypes: numbers.filter((dtype) => dtype !== "FP64"),
    layout: reductionOfNone,
    reference: reduce((elements) => product(elements)),
    example: ({ scores }) => scores.prod(-1),
  },
  max: {
    problems: [
      ["UINT64[4]", { axis: 0 }, "dtype/not-supported: ONNX Runtime does not support max for UINT64[4]"],
    ],
    doubts: [["UINT8[4]", { axis: 0 }, ""]],
    padding: [
      ["FP32[batch, seq=-Infinity, 8]", { axis: -1, keepDims: true }, [undefined, -Infinity, undefined]],
    ],
    ignoresPadding: [
      ["FP32[batch, seq=0, 8]", { axis: 1 }, false],
      ["FP32[batch, seq=-Infinity, 8]", { axis: 1 }, true],
    ],
    dtypes: ranked,
    layout: reduction,
    reference: reduce(largest),
    odd: [-0, Infinity, -Infinity],
    example: ({ scores }) => scores.max(-1),
  },
  min: {
    ignoresPadding: [["FP32[batch, seq=Infinity, 8]", { axis: 1 }, true]],
    dtypes: ranked,
    layout: reduction,
    reference: reduce(smallest),
    odd: [-0, Infinity, -Infinity],
    example: ({ scores }) => scores.min(-1),
  },
  logSumExp: {
    batch: [["FP32[batch, 4]", { axis: -1 }, ""]],
    ignoresPadding: [["FP32[batch, seq=-Infinity, 8]", { axis: 1 }, true]],
    dtypes: floats,
    layout: reductionOfNone,
    reference: reduce(logSumExp),
    odd: [-0, Infinity, -Infinity],
    example: ({ scores }) => scores.logSumExp(-1),
  },
  argmax: {
    types: [["FP32[batch, 3]", { axis: -1 }, "INT64[batch]"]],
    batch: [["FP32[batch, 4]", { axis: "batch" }, "0 reduces over"]],
    ignoresPadding: [["FP32[batch, seq=-Infinity, 8]", { axis: 1 }, false]],
    dtypes: ranked,
    layout: reductionOfFull,
    reference: reduce((elements) => elements.indexOf(largest(elements))),
    odd: [-0, Infinity, -Infinity],
    example: ({ scores }) => scores.argmax(-1),
  },
  argmin: {
    types: [["UINT8[batch, 3]", { axis: -1 }, "INT64[batch]"]],
    problems: [
      ["UINT64[4]", { axis: 0 }, "dtype/not-supported: ONNX Runtime does not support argmin for UINT64[4]"],
    ],
    batch: [["FP32[batch, 4]", { axis: 0 }, "0 reduces over"]],
    dtypes: ranked,
    layout: reductionOfFull,
    reference: reduce((elements) => elements.indexOf(smallest(elements))),
    odd: [-0, Infinity, -Infinity],
    example: ({ scores }) => scores.argmin(-1),
  },
};
