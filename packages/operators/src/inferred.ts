import { type Dims, type DType, invariant, type TensorType } from "@tritype/core";
import type { Inferred, Problem, ProblemCode } from "./operator.ts";

/** A rule's failure. Assignable to `Inferred` and to the result of every function that reads attributes. */
export interface Failed {
  readonly problem: Problem;
}

/** The only output, `out`. */
export const single = (dtype: DType, dims: Dims): Inferred => ({ outputs: { out: { dtype, dims } } });

export const failed = (
  code: ProblemCode,
  message: string,
  more: Omit<Problem, "code" | "message"> = {},
): Failed => ({ problem: { code, message, ...more } });

/** The operand at a position that the operator's arity guarantees. */
export const operandAt = <T>(operands: readonly T[], index: number): T => {
  const operand = operands[index];
  invariant(operand !== undefined, `an operator has no operand ${index}`);
  return operand;
};

/** The type of the output `out`. */
export const outOf = (outputs: Readonly<Record<string, TensorType>>): TensorType => {
  const out = outputs["out"];
  invariant(out !== undefined, "an operator has no output out");
  return out;
};
