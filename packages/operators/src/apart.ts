import type { TensorType } from "@tritype/core";
import { operandAt } from "./inferred.ts";
import type { OnnxBuilder, Operator } from "./operator.ts";

/**
 * ONNX Runtime merges a MatMul with a Mul or Div by one number next to it, and keeps the number in single precision
 * (MatMulScaleFusion of 1.30 and earlier). Between copies, an FP64 operator has no neighbours: no optimization removes
 * a Sum of one tensor.
 * @param copied Whether the operator needs a copy of an operand; the result is copied if any operand is.
 */
export const apart = (
  operator: Operator,
  copied: (operand: number, types: readonly TensorType[]) => boolean,
): Operator => ({
  ...operator,
  lower(builder, operands, attributes, outputs) {
    const types = operands.map(({ type }) => type);
    const inputs = operands.map((x, i) =>
      x.type.dtype === "FP64" && copied(i, types) ? { ...x, name: copy(builder, x.name) } : x,
    );
    const { out = "" } = operator.lower(builder, inputs, attributes, outputs);
    return { out: inputs.every((x, i) => x === operands[i]) ? out : copy(builder, out) };
  },
});

/** Whether the other one of two operands may be a single number. */
export const isScaled = (operand: number, types: readonly TensorType[]): boolean =>
  operandAt(types, 1 - operand).dims.every((dim) => dim === 1);

const copy = (builder: OnnxBuilder, name: string): string => builder.node("Sum", [name])[0];
