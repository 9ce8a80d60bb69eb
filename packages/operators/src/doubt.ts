import { dtypes, showType } from "@tritype/core";
import { operandAt } from "./inferred.ts";
import type { Operator, Problem } from "./operator.ts";
import type { PaddedOperand } from "./padding.ts";

/** An operator that adds up or multiplies elements in their own dtype, whose 8 or 16 bits may be too few for the result. */
export const accumulating = (operator: Operator): Operator => ({
  ...operator,
  doubt(operands, attributes) {
    const types = operands.map(({ type }) => type);
    const reduced = (operator.mixes?.(types, attributes) ?? []).find(
      ({ operand, axis, verb }) => verb === "reduces over" && types[operand]?.dims[axis] !== 1,
    );
    const type = operandAt(types, reduced?.operand ?? 0);
    const { byteSize = 0, range } = dtypes[type.dtype];
    if (reduced === undefined || range === undefined || byteSize > 2) return undefined;
    return {
      code: "dtype/wraps-around",
      message: `the result for ${showType(type)} is ${type.dtype} too, and wraps around outside ${range[0]} to ${range[1]}`,
      operand: reduced.operand,
      help: "cast it first, as in .cast(int64); if the result should wrap around, also cast it back",
    };
  },
});

/** The doubt about a division of integers by a number so large that all quotients are 0, 1 or -1. */
export const tinyQuotients = (operands: readonly PaddedOperand[]): Problem | undefined => {
  const { type } = operandAt(operands, 0);
  const { range } = dtypes[type.dtype];
  const divisor = operandAt(operands, 1).padding.all;
  if (range === undefined || divisor === undefined) return undefined;
  const [least, most] = [-Number(range[0]), Number(range[1])];
  if (2 * Math.abs(divisor) <= Math.max(least, most)) return undefined;
  const quotients = least === 0 ? "0 or 1" : "-1, 0 or 1";
  return {
    code: "dtype/integer-quotient",
    message: `${showType(type)} by ${divisor} gives only ${quotients}, because integer quotients are rounded towards zero`,
    operand: 0,
    help: `cast it first, as in .cast(fp32); for a comparison, use .ge(${divisor})`,
  };
};
