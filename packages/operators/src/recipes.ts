import { type Dim, showDim, showType, type TensorType } from "@tritype/core";
import { needFloat } from "./dtype-rules.ts";
import { type Failed, failed, operandAt } from "./inferred.ts";
import { differentCalls } from "./elementwise.ts";

/**
 * Operand requirements of functions that consist of several operators, by name. Violations are reported once, in terms
 * of the function itself rather than its operators.
 */
export const recipes: ReadonlyMap<string, (operands: readonly TensorType[]) => Failed | undefined> = new Map([
  [
    "meanPool",
    (operands) => {
      const [hidden, mask] = [operandAt(operands, 0), operandAt(operands, 1)];
      return needFloat(hidden, 0) ?? needMask(mask) ?? needMaskDims(hidden, mask);
    },
  ],
  ["l2Normalize", (operands) => needFloat(operandAt(operands, 0), 0)],
]);

const needMask = (mask: TensorType): Failed | undefined =>
  mask.dtype === "INT64" || mask.dtype === "INT32" || mask.dtype === "BOOL"
    ? undefined
    : failed("dtype/mismatch", `${showType(mask)} is not a mask: INT64, INT32 or BOOL`, { operand: 1 });

const needMaskDims = (hidden: TensorType, mask: TensorType): Failed | undefined => {
  const [batch, seq] = hidden.dims;
  if (batch === undefined || seq === undefined)
    return failed("shape/rank-mismatch", `mean pooling needs [batch, seq, size], got ${showType(hidden)}`, {
      operand: 0,
    });
  const fits = (accept: (of: Dim, dim: Dim) => boolean): boolean =>
    mask.dims.length === 2 && [batch, seq].every((dim, axis) => accept(dim, mask.dims[axis] ?? 0));
  if (fits((of, dim) => of === dim || of === -1 || dim === -1)) return undefined;
  const message = `the mask of ${showType(hidden)} must have its first two dims, got ${showType(mask)}`;
  const alike = fits((of, dim) => showDim(of) === showDim(dim));
  return failed("shape/dim-mismatch", message, {
    operand: 1,
    against: 0,
    ...(alike ? { help: differentCalls } : {}),
  });
};
