import type { TensorType } from "@tritype/core";

/**
 * Known values in a tensor in which a sequence was extended by padding. Numbers are unchanged, BOOL is 0 or 1, and
 * unknown values are undefined.
 */
export interface Padding {
  /** The value of every element if all are the same, as in a constant. */
  readonly all?: number | undefined;
  /** The value of the padding elements along each axis of the tensor. */
  readonly axes: readonly (number | undefined)[];
}

/** An operand: its type, and its values at padding. */
export interface PaddedOperand {
  readonly type: TensorType;
  readonly padding: Padding;
}

/** Computes the value of one element from those of the operands; undefined if it cannot be determined. */
export type Evaluate = (...values: readonly (number | undefined)[]) => number | undefined;

/** The padding of an elementwise operator whose operands broadcast. */
export const elementwisePadding = (operands: readonly PaddedOperand[], evaluate: Evaluate): Padding => {
  const rank = Math.max(...operands.map(({ type }) => type.dims.length));
  const valueAt =
    (axis: number) =>
    ({ type, padding }: PaddedOperand): number | undefined =>
      padding.all ?? padding.axes[axis - rank + type.dims.length];
  return {
    all: evaluate(...operands.map(({ padding }) => padding.all)),
    axes: Array.from({ length: rank }, (_, axis) => evaluate(...operands.map(valueAt(axis)))),
  };
};

/** The result of `compute` if both values are known. */
export const known =
  (compute: (a: number, b: number) => number): Evaluate =>
  (a, b) =>
    a === undefined || b === undefined ? undefined : compute(a, b);
