import { type DType, dtypes, showType, type TensorType } from "@tritype/core";
import { type Failed, failed } from "./inferred.ts";

const familyOf = (type: TensorType): string => dtypes[type.dtype].family;

/** @returns a problem unless the operand is an integer or a float. */
export const needNumeric = (type: TensorType, operand: number): Failed | undefined =>
  familyOf(type) === "int" || familyOf(type) === "float"
    ? undefined
    : failed("dtype/not-supported", `${showType(type)} does not contain numbers`, {
        operand,
        help: "cast it first, as in .cast(fp32)",
      });

export const needFloat = (type: TensorType, operand: number): Failed | undefined =>
  familyOf(type) === "float"
    ? undefined
    : failed("dtype/not-supported", `${showType(type)} is not floating point: .cast(fp32) first`, {
        operand,
      });

export const needBool = (type: TensorType, operand: number): Failed | undefined =>
  type.dtype === "BOOL"
    ? undefined
    : failed("dtype/mismatch", `${showType(type)} is not BOOL: compare first, as in .gt(0)`, { operand });

export const needIndices = (type: TensorType, operand: number): Failed | undefined =>
  type.dtype === "INT64" || type.dtype === "INT32"
    ? undefined
    : failed("dtype/mismatch", `${showType(type)} contains no indices: .cast(int64) first`, { operand });

/**
 * Two operands that ONNX requires to have the same dtype.
 * @param operand Index of `b`.
 * @param against Index of `a`.
 */
export const needSame = (a: TensorType, b: TensorType, operand: number, against = 0): Failed | undefined =>
  a.dtype === b.dtype
    ? undefined
    : failed(
        "dtype/mismatch",
        `${showType(a)} and ${showType(b)} have different dtypes: ONNX never promotes, so cast one of them`,
        { operand, against },
      );

/** The problem of a numeric dtype for which ONNX Runtime has no kernel and that no other dtype can carry. */
export const lacks = (type: TensorType, operator: string, operand: number): Failed =>
  failed("dtype/not-supported", `ONNX Runtime does not support ${operator} for ${showType(type)}`, {
    operand,
    help: `cast it first, as in .cast(${type.dtype === "UINT64" ? "int64" : "fp32"})`,
  });

/** The dtype check of operators that order elements along an axis. */
export const needRanked =
  (operator: string) =>
  (type: TensorType, operand: number): Failed | undefined =>
    needNumeric(type, operand) ?? (type.dtype === "UINT64" ? lacks(type, operator, operand) : undefined);

/**
 * BF16 exists in Triton's configs and in ONNX, but neither Triton's onnxruntime backend nor onnxruntime-node supports
 * such tensors.
 */
export const refuseBf16 = (dtype: DType, shown: string, operand?: number): Failed | undefined =>
  dtype === "BF16"
    ? failed("dtype/not-supported", `${shown}: ONNX Runtime has no BF16 tensors in Triton`, {
        ...(operand === undefined ? {} : { operand }),
        help: "let the model return FP32 or FP16",
      })
    : undefined;
