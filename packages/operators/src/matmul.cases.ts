import * as fc from "fast-check";
import { numbers } from "./dtypes.fixture.ts";
import { operandAt } from "./inferred.ts";
import { dimsOf, narrowed, size } from "./layouts.fixture.ts";
import { broadcast, build, read, total } from "./nd-array.fixture.ts";
import type { CasesOf } from "./operator-cases.fixture.ts";

export const cases: CasesOf = {
  matmul: {
    types: [
      ["FP32[batch, seq, 384] ; FP32[384, 8]", {}, "FP32[batch, seq, 8]"],
      ["FP32[batch, 2, k] ; FP32[batch, -1, 8]", {}, "FP32[batch, 2, 8]"],
      ["FP32[384] ; FP32[batch, 384, 8]", {}, "FP32[batch, 8]"],
      ["FP32[batch, 8, 384] ; FP32[384]", {}, "FP32[batch, 8]"],
      ["FP32[4] ; FP32[4]", {}, "FP32[]"],
    ],
    problems: [
      [
        "FP32[2, 3] ; FP16[3, 2]",
        {},
        "dtype/mismatch: FP32[2, 3] and FP16[3, 2] have different dtypes: ONNX never promotes, so cast one of them",
      ],
      [
        "FP32[2, 4, 5] ; FP32[3, 5, 6]",
        {},
        "shape/no-broadcast: FP32[2, 4, 5] · FP32[3, 5, 6]: the outer sizes do not broadcast",
      ],
      [
        "FP32[] ; FP32[4]",
        {},
        "shape/rank-mismatch: FP32[] · FP32[4]: a matrix product needs at least one axis on both sides",
      ],
      [
        "FP32[batch, 8, 384] ; FP32[batch, 768, 8]",
        {},
        "shape/dim-mismatch: FP32[batch, 8, 384] · FP32[batch, 768, 8]: the inner sizes differ",
      ],
    ],
    doubts: [
      [
        "INT8[2, 4] ; INT8[4, 3]",
        {},
        "dtype/wraps-around: the result for INT8[2, 4] is INT8 too, and wraps around outside -128 to 127",
      ],
      ["INT8[2, 1] ; INT8[1, 3]", {}, ""],
    ],
    nodes: [
      ["FP32[2, 4] ; FP32[4]", {}, ["MatMul(x0, x1)", "→ %1"]],
      ["FP64[2, 4] ; FP64[4]", {}, ["Sum(x0)", "Sum(x1)", "MatMul(%1, %2)", "Sum(%3)", "→ %4"]],
    ],
    batch: [
      ["FP32[batch, 2, 4] ; FP32[batch, 4, 3]", {}, ""],
      ["FP32[batch, 4] ; FP32[4, 3]", {}, ""],
      ["FP32[batch, 4] ; FP32[batch, 4, 3]", {}, "0 moves"],
      ["FP32[2, batch] ; FP32[batch, 3]", {}, "0 reduces over, 1 reduces over"],
    ],
    ignoresPadding: [
      ["FP32[batch, 1, seq=0] ; FP32[batch, seq, 8]", {}, true],
      ["FP32[batch, 1, seq] ; FP32[batch, seq, 8]", {}, false],
    ],
    dtypes: numbers,
    layout: fc.tuple(dimsOf(0, 2), size, size, size).chain(([outer, rows, inner, columns]) =>
      fc
        .tuple(narrowed(outer), narrowed(outer), fc.boolean(), fc.boolean())
        .map(([a, b, vectorA, vectorB]) => ({
          operands: [
            { dims: vectorA ? [inner] : [...a, rows, inner] },
            { dims: vectorB ? [inner] : [...b, inner, columns] },
          ],
          attributes: {},
        })),
    ),
    reference: (operands) => {
      const [a, b] = [operandAt(operands, 0), operandAt(operands, 1)];
      const matrixA = a.dims.length === 1 ? { ...a, dims: [1, ...a.dims] } : a;
      const matrixB = b.dims.length === 1 ? { ...b, dims: [...b.dims, 1] } : b;
      const inner = matrixA.dims.at(-1) ?? 1;
      const outer = broadcast([
        { dims: matrixA.dims.slice(0, -2), values: [] },
        { dims: matrixB.dims.slice(0, -2), values: [] },
      ]);
      const rows = matrixA.dims.at(-2) ?? 1;
      const columns = matrixB.dims.at(-1) ?? 1;
      const product = build([...outer, rows, columns], (index) => {
        const [row, column] = index.slice(-2) as [number, number];
        const terms = Array.from({ length: inner }, (_, k) => {
          const x = read(matrixA, [...index.slice(0, -2), row, k]);
          const y = read(matrixB, [...index.slice(0, -2), k, column]);
          return typeof x === "bigint" ? x * (y as bigint) : (x as number) * (y as number);
        });
        return total(terms);
      });
      const shown = [...(a.dims.length === 1 ? [] : [rows]), ...(b.dims.length === 1 ? [] : [columns])];
      return { ...product, dims: [...outer, ...shown] };
    },
    example: ({ hidden, weights }) => hidden.matmul(weights),
  },
};
