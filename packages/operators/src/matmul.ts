import { type Dims, showType, type TensorType } from "@tritype/core";
import { otherOperand } from "./arguments.ts";
import { apart } from "./apart.ts";
import { movedAxes } from "./axis.ts";
import { carried, matmulCarriers } from "./carrier.ts";
import { broadcastDims, equalDim } from "./dims.ts";
import { accumulating } from "./doubt.ts";
import { needNumeric, needSame } from "./dtype-rules.ts";
import { failed, operandAt, single } from "./inferred.ts";
import type { MixedAxis, Operator } from "./operator.ts";

/**
 * Matrix product of the last two axes; the axes before them broadcast. A vector is a row on the left and a column on
 * the right.
 */
export const matmul: Operator = apart(
  accumulating({
    name: "matmul",
    readArguments: otherOperand,
    infer(operands) {
      const [a, b] = [operandAt(operands, 0), operandAt(operands, 1)];
      const problem = needNumeric(a, 0) ?? needSame(a, b, 1);
      if (problem !== undefined) return problem;
      const scalar = [a, b].findIndex((x) => x.dims.length === 0);
      if (scalar !== -1)
        return failed(
          "shape/rank-mismatch",
          `${pair(a, b)}: a matrix product needs at least one axis on both sides`,
          {
            operand: scalar,
            help: "multiply by a scalar with .mul()",
          },
        );
      const [left, right] = [leftMatrix(a.dims), rightMatrix(b.dims)];
      if (equalDim(left.at(-1) ?? -1, right.at(-2) ?? -1) === undefined)
        return failed("shape/dim-mismatch", `${pair(a, b)}: the inner sizes differ`, {
          operand: 1,
          against: 0,
        });
      const outer = broadcastDims(left.slice(0, -2), right.slice(0, -2));
      if (outer === undefined)
        return failed("shape/no-broadcast", `${pair(a, b)}: the outer sizes do not broadcast`, {
          operand: 1,
          against: 0,
        });
      const rows = a.dims.length === 1 ? [] : left.slice(-2, -1);
      const columns = b.dims.length === 1 ? [] : right.slice(-1);
      return single(a.dtype, [...outer, ...rows, ...columns]);
    },
    mixes(operands) {
      const [a, b] = [operandAt(operands, 0).dims.length, operandAt(operands, 1).dims.length];
      const rank = Math.max(a, b, 2);
      const inner: readonly MixedAxis[] = [
        { operand: 0, axis: a - 1, verb: "reduces over" },
        { operand: 1, axis: Math.max(0, b - 2), verb: "reduces over" },
      ];
      return [...inner, ...movedAxes(0, 0, a - 1, rank - a), ...movedAxes(1, 0, b - 2, rank - b)];
    },
    /** If either factor is 0, the product is 0. */
    ignoresPadding(_mixed, [a, b]) {
      const [left, right] = [
        a?.padding.axes.at(-1),
        b?.padding.axes.at((b?.type.dims.length ?? 0) > 1 ? -2 : -1),
      ];
      return left === 0 || right === 0;
    },
    lower(builder, operands) {
      const names = operands.map((x) => x.name);
      const { dtype } = operandAt(operands, 0).type;
      return {
        out: carried(builder, matmulCarriers, dtype, names, (inputs) => builder.node("MatMul", inputs)[0]),
      };
    },
  }),
  () => true,
);

const leftMatrix = (dims: Dims): Dims => (dims.length === 1 ? [1, ...dims] : dims);
const rightMatrix = (dims: Dims): Dims => (dims.length === 1 ? [...dims, 1] : dims);
const pair = (a: TensorType, b: TensorType): string => `${showType(a)} · ${showType(b)}`;
