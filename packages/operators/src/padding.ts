import type { TensorType } from "@tritype/core";

/**
 * What is known of a tensor where a sequence was made longer by padding. Numbers as they are, BOOL as 0 and 1; undefined: nothing is
 * known.
 */
export interface Padding {
  /** The value of every element, where all are the same: a constant's. */
  readonly all?: number | undefined;
  /** By axis of the tensor: the value of the elements that are padding along it. */
  readonly axes: readonly (number | undefined)[];
}

/** An operand: its type, and what it holds at padding. */
export interface PaddedOperand {
  readonly type: TensorType;
  readonly padding: Padding;
}

/** A value of one element from those of the operands; undefined where it does not follow from what is known of them. */
export type Evaluate = (...values: readonly (number | undefined)[]) => number | undefined;

/** The padding of an operator that works element by element on operands that broadcast. */
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

/** The result of `compute` where both values are known. */
export const known =
  (compute: (a: number, b: number) => number): Evaluate =>
  (a, b) =>
    a === undefined || b === undefined ? undefined : compute(a, b);
