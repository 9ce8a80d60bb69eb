import * as fc from "fast-check";
import { runnable } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { dimsOf, narrowed, size } from "./layouts.fixture.ts";
import { broadcast, build, type NdArray, read } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

/** Sizes of the condition for results of these sizes: one value for the request, or one for each row. */
const conditionFor = (dims: readonly number[]): fc.Arbitrary<number[]> =>
  fc
    .tuple(fc.boolean(), fc.nat({ max: 3 }), size)
    .map(([perRow, ones, free]) =>
      perRow
        ? [dims[0] ?? free, ...Array.from({ length: ones }, () => 1)]
        : Array.from({ length: ones }, () => 1),
    );

const chosen = (condition: NdArray, a: NdArray, b: NdArray): NdArray => {
  const values = broadcast([a, b]);
  const rows = condition.dims[0] ?? 1;
  const dims = rows === 1 ? values : values.length === 0 ? [rows] : values.with(0, rows);
  return build(dims, (index) =>
    read(condition.values[rows === 1 ? 0 : (index[0] ?? 0)] === true ? a : b, index),
  );
};

export const cases: CasesOf = {
  when: {
    types: [
      ["BOOL[batch] ; FP32[batch, seq, 8] ; FP32[batch, seq, 8]", {}, "FP32[batch, seq, 8]"],
      ["BOOL[batch, 1] ; FP32[batch, 4] ; FP32[]", {}, "FP32[batch, 4]"],
      ["BOOL[batch, 1] ; BYTES[1, 4] ; BYTES[1]", {}, "BYTES[batch, 4]"],
      ["BOOL[batch, 1] ; FP32[] ; FP32[]", {}, "FP32[batch]"],
      ["BOOL[] ; FP32[n, 4] ; FP32[n, 4]", {}, "FP32[n, 4]"],
      ["BOOL[1, 1] ; FP32[] ; FP32[]", {}, "FP32[]"],
      [
        "BOOL[batch] ; FP32[batch, 4] ; INT64[batch] ; FP32[4] ; INT64[batch]",
        { names: ["scores", "ids"] },
        "FP32[batch, 4] ; INT64[batch]",
      ],
    ],
    problems: [
      ["FP32[1] ; FP32[2] ; FP32[2]", {}, "dtype/mismatch: FP32[1] is not BOOL: compare first, as in .gt(0)"],
      [
        "BOOL[batch, 4] ; FP32[batch, 4] ; FP32[batch, 4]",
        {},
        "shape/dim-mismatch: BOOL[batch, 4] decides for each element: use where(), or one BOOL for each row",
      ],
      [
        "BOOL[batch] ; FP32[batch] ; INT64[batch]",
        {},
        "dtype/mismatch: FP32[batch] and INT64[batch] have different dtypes: ONNX never promotes, so cast one of them",
      ],
      [
        "BOOL[batch] ; FP32[batch, 4] ; FP32[3]",
        {},
        "shape/no-broadcast: FP32[batch, 4] and FP32[3] do not broadcast",
      ],
      ["BOOL[batch] ; FP32[4] ; FP32[]", {}, "shape/no-broadcast: BOOL[batch] and FP32[4] do not broadcast"],
      [
        "BOOL[batch] ; FP32[batch] ; INT64[batch] ; FP32[batch] ; INT32[batch]",
        { names: ["scores", "ids"] },
        "dtype/mismatch: INT64[batch] and INT32[batch] have different dtypes: ONNX never promotes, so cast one of them",
      ],
    ],
    batch: [
      ["BOOL[batch] ; FP32[batch, 4] ; FP32[]", {}, ""],
      ["BOOL[] ; FP32[batch] ; FP32[2, 1]", {}, "1 moves"],
    ],
    padding: [
      ["BOOL[batch, 1] ; FP32[batch, seq=0, 8] ; FP32[batch, seq=0, 8]", {}, [undefined, 0, undefined]],
      ["BOOL[batch] ; FP32[batch, seq=0, 8] ; FP32[]=0", {}, [undefined, 0, undefined]],
      ["BOOL[batch] ; FP32[batch, seq=0] ; FP32[batch, seq]", {}, [undefined, undefined]],
      ["BOOL[seq=0] ; FP32[seq] ; FP32[seq=0]", {}, [0]],
    ],
    nodes: [
      ["BOOL[batch, 1] ; FP32[batch, 4] ; FP32[]", {}, ["Where(x0, x1, x2)", "→ %1"]],
      [
        "BOOL[batch] ; FP32[batch, seq, 4] ; FP32[]",
        {},
        ["Unsqueeze(x0, INT64{1 2})", "Where(%1, x1, x2)", "→ %2"],
      ],
      ["BOOL[batch, 1] ; FP32[] ; FP32[]", {}, ["Squeeze(x0, INT64{1})", "Where(%1, x1, x2)", "→ %2"]],
      ["BOOL[1, 1] ; FP32[4] ; FP32[4]", {}, ["Squeeze(x0, INT64{1})", "Where(%1, x1, x2)", "→ %2"]],
    ],
    dtypes: runnable,
    layout: dimsOf(0, 3).chain((dims) =>
      fc
        .tuple(conditionFor(dims), narrowed(dims), narrowed(dims), fc.boolean())
        .filter(
          ([condition, a, b]) => (condition[0] ?? 1) === 1 || Math.max(a.length, b.length) === dims.length,
        )
        .map(([condition, a, b, two]) => ({
          operands: [
            { dims: condition, dtypes: ["BOOL"] as const },
            ...[a, ...(two ? [dims] : [])].map((own) => ({ dims: own })),
            ...[b, ...(two ? [dims] : [])].map((own) => ({ dims: own })),
          ],
          attributes: two ? { names: ["first", "second"] } : {},
        })),
    ),
    reference: (operands, { names }) => {
      const [condition, ...values] = operands as [NdArray, ...NdArray[]];
      const half = values.length / 2;
      const all = values.slice(0, half).map((a, i) => chosen(condition, a, operandAt(values, half + i)));
      return Array.isArray(names)
        ? Object.fromEntries(names.map((name, i) => [String(name), operandAt(all, i)]))
        : operandAt(all, 0);
    },
    example: ({ one, scores, other }, { when }) => when(one.gt(0), () => scores.softmax(-1), other),
  },
};
