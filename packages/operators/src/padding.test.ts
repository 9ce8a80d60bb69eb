import type { DType, Dims } from "@tritype/core";
import { expect, it } from "vitest";
import { type Attributes, operators, type PaddedOperand } from "./index.ts";

/** A tensor whose axis "seq" holds `value` at padding. */
const padded = (dims: Dims, value: number | undefined, dtype: DType = "FP32"): PaddedOperand => ({
  type: { dtype, dims },
  padding: { axes: dims.map((dim) => (dim === "seq" ? value : undefined)) },
});
const scalar = (all: number): PaddedOperand => ({
  type: { dtype: "FP32", dims: [] },
  padding: { all, axes: [] },
});
const hidden = ["batch", "seq", 8];
const column = ["batch", "seq", 1];

it.each<[string, readonly PaddedOperand[], Attributes, readonly (number | undefined)[]]>([
  ["mul", [padded(hidden, undefined), padded(column, 0)], {}, [undefined, 0, undefined]],
  ["mul", [padded(hidden, 3), padded(column, 2)], {}, [undefined, 6, undefined]],
  ["add", [padded(hidden, undefined), padded(column, 0)], {}, [undefined, undefined, undefined]],
  ["sub", [scalar(1), padded(column, 0)], {}, [undefined, 1, undefined]],
  ["gt", [padded(column, 0), scalar(0)], {}, [undefined, 0, undefined]],
  ["not", [padded(column, 0, "BOOL")], {}, [undefined, 1, undefined]],
  ["and", [padded(column, undefined, "BOOL"), padded(column, 0, "BOOL")], {}, [undefined, 0, undefined]],
  [
    "or",
    [padded(column, undefined, "BOOL"), padded(column, 0, "BOOL")],
    {},
    [undefined, undefined, undefined],
  ],
  [
    "where",
    [padded(column, 0, "BOOL"), padded(hidden, undefined), scalar(-Infinity)],
    {},
    [undefined, -Infinity, undefined],
  ],
  [
    "where",
    [padded(column, undefined, "BOOL"), padded(hidden, 0), padded(hidden, 0)],
    {},
    [undefined, 0, undefined],
  ],
  ["cast", [padded(column, 0, "INT64")], { to: "FP32" }, [undefined, 0, undefined]],
  ["cast", [padded(column, 300, "INT64")], { to: "INT8" }, [undefined, undefined, undefined]],
  ["unsqueeze", [padded(["batch", "seq"], 0)], { axis: -1 }, [undefined, 0, undefined]],
  ["unsqueeze", [padded(["batch", "seq"], 0)], { axis: 1 }, [undefined, undefined, 0]],
  ["squeeze", [padded(column, 0)], { axis: -1 }, [undefined, 0]],
  ["transpose", [padded(hidden, 0)], { axes: [0, 2, 1] }, [undefined, undefined, 0]],
  ["softmax", [padded(["batch", "seq"], -Infinity)], { axis: 1 }, [undefined, 0]],
  ["softmax", [padded(["batch", "seq"], 0)], { axis: 1 }, [undefined, undefined]],
  ["sum", [padded(hidden, 0)], { axis: -1 }, [undefined, 0]],
  ["max", [padded(hidden, -Infinity)], { axis: -1, keepDims: true }, [undefined, -Infinity, undefined]],
])("%s %#: what it holds at padding", (operator, operands, attributes, expected) => {
  expect(operators.get(operator)?.padding?.(operands, attributes).axes).toEqual(expected);
});

/** Whether what happens along "seq" is the same with padding. */
const ignores = (
  operator: string,
  operands: readonly PaddedOperand[],
  attributes: Attributes,
  side: "left" | "right",
): boolean => {
  const definition = operators.get(operator);
  const types = operands.map(({ type }) => type);
  const mixed = (definition?.mixes?.(types, attributes) ?? []).filter(
    ({ operand, axis, verb }) => types[operand]?.dims[axis] === "seq" && verb !== "moves",
  );
  expect(mixed.length).toBeGreaterThan(0);
  return mixed.every((one) => definition?.ignoresPadding?.(one, operands, attributes, side) === true);
};

it.each<[string, readonly PaddedOperand[], Attributes, boolean]>([
  ["sum", [padded(hidden, 0)], { axis: 1 }, true],
  ["sum", [padded(hidden, undefined)], { axis: 1 }, false],
  ["mean", [padded(hidden, 0)], { axis: 1 }, false],
  ["prod", [padded(hidden, 1)], { axis: 1 }, true],
  ["max", [padded(hidden, 0)], { axis: 1 }, false],
  ["max", [padded(hidden, -Infinity)], { axis: 1 }, true],
  ["min", [padded(hidden, Infinity)], { axis: 1 }, true],
  ["logSumExp", [padded(hidden, -Infinity)], { axis: 1 }, true],
  ["argmax", [padded(hidden, -Infinity)], { axis: 1 }, false],
  ["softmax", [padded(["batch", "seq"], -Infinity)], { axis: 1 }, true],
  ["softmax", [padded(["batch", "seq"], 0)], { axis: 1 }, false],
  ["matmul", [padded(["batch", 1, "seq"], 0), padded(hidden, undefined)], {}, true],
  ["matmul", [padded(["batch", 1, "seq"], undefined), padded(hidden, undefined)], {}, false],
  ["einsum", [padded(["batch", "seq"], 0), padded(hidden, undefined)], { equation: "bs,bsh->bh" }, true],
  [
    "einsum",
    [padded(["batch", "seq"], undefined), padded(hidden, undefined)],
    { equation: "bs,bsh->bh" },
    false,
  ],
  ["slice", [padded(hidden, 0)], { axis: 1, start: 0, end: 2 }, false],
  ["layerNorm", [padded(["batch", "seq"], 0)], { axis: 1, epsilon: 0 }, false],
  ["topK", [padded(["batch", "seq"], -Infinity)], { axis: 1, k: 2 }, false],
])("%s %#: ignores padding: %4$s", (operator, operands, attributes, expected) => {
  for (const side of ["left", "right"] as const)
    expect(ignores(operator, operands, attributes, side)).toBe(expected);
});

it("the first element is text where padding is on the right, the last one where it is on the left", () => {
  const pick = (index: number, side: "left" | "right"): boolean =>
    ignores("gather", [padded(hidden, undefined)], { axis: 1, index }, side);
  expect([pick(0, "right"), pick(0, "left"), pick(-1, "left"), pick(-1, "right"), pick(1, "right")]).toEqual([
    true,
    false,
    true,
    false,
    false,
  ]);
});
