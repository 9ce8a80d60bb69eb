import { carried, whereCarriers } from "./carrier.ts";
import { broadcastDims } from "./dims.ts";
import { needBool, needSame } from "./dtype-rules.ts";
import { mixesOfBroadcast, noBroadcast } from "./elementwise.ts";
import { operandAt, single } from "./inferred.ts";
import type { Operator } from "./operator.ts";
import { elementwisePadding } from "./padding.ts";

/** Operands: the condition (BOOL), the value where it is true, and the value elsewhere. All of them broadcast. */
export const where: Operator = {
  name: "where",
  infer(operands) {
    const [condition, a, b] = [operandAt(operands, 0), operandAt(operands, 1), operandAt(operands, 2)];
    const problem = needBool(condition, 0) ?? needSame(a, b, 2, 1);
    if (problem !== undefined) return problem;
    const values = broadcastDims(a.dims, b.dims);
    if (values === undefined) return noBroadcast(a, b, { operand: 2, against: 1 });
    const dims = broadcastDims(condition.dims, values);
    return dims === undefined
      ? noBroadcast(condition, { dtype: a.dtype, dims: values }, { operand: 0, against: 1 })
      : single(a.dtype, dims);
  },
  mixes: mixesOfBroadcast,
  padding: (operands) =>
    elementwisePadding(operands, (condition, a, b) =>
      condition === undefined ? (a === b ? a : undefined) : condition === 0 ? b : a,
    ),
  lower(builder, operands) {
    const [condition, a, b] = [operandAt(operands, 0), operandAt(operands, 1), operandAt(operands, 2)];
    const out = carried(
      builder,
      whereCarriers,
      a.type.dtype,
      [a.name, b.name],
      (values) => builder.node("Where", [condition.name, ...values])[0],
    );
    return { out };
  },
};
