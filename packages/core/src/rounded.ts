import type { DType } from "./dtype.ts";
import { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf } from "./half.ts";

/** The nearest number that the float dtype can represent. */
export const rounded = (dtype: DType, value: number): number => {
  if (dtype === "FP16") return halfToNumber(numberToHalf(value));
  if (dtype === "BF16") return bfloat16ToNumber(numberToBfloat16(value));
  return dtype === "FP32" ? Math.fround(value) : value;
};
