import { type DType, dtypes, type Json, rounded, type Scalar } from "@tritype/core";
import { type Failed, failed } from "./inferred.ts";

/** A value as it would be stored in a tensor of the dtype, or the reason why it cannot be. */
export type ReadElement = { readonly value: Scalar; readonly problem?: undefined } | Failed;

/**
 * An element as written in attributes: a number, a boolean, text for BYTES, decimal text for integers of any size, and
 * "Infinity", "-Infinity", "NaN" or "-0" for floats. `shown` is the tensor's type in messages.
 */
export const readElement = (dtype: DType, value: Json | undefined, shown: string): ReadElement => {
  const { family } = dtypes[dtype];
  if (family === "int") return readInteger(dtype, value, shown);
  if (family === "float") return readFloat(dtype, value, shown);
  const wanted = family === "bool" ? "boolean" : "string";
  return typeof value === wanted ? { value: value as Scalar } : notA(value, shown);
};

const readInteger = (dtype: DType, value: Json | undefined, shown: string): ReadElement => {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return notA(value, shown);
  if (typeof value === "number" && Number.isFinite(value) && !Number.isInteger(value))
    return failed("dtype/mismatch", `${text} is not an integer, but the tensor is ${shown}: cast it first`);
  const integer =
    typeof value === "number" && Number.isInteger(value)
      ? BigInt(value)
      : /^-?\d+$/.test(text)
        ? BigInt(text)
        : undefined;
  const range = dtypes[dtype].range;
  if (integer === undefined || range === undefined) return notA(value, shown);
  if (integer < range[0] || integer > range[1])
    return failed(
      "dtype/out-of-range",
      `${integer} does not fit ${dtype}, whose range is ${range[0]} to ${range[1]}`,
    );
  return { value: integer };
};

const special: Readonly<Record<string, number>> = {
  Infinity,
  "-Infinity": -Infinity,
  NaN: Number.NaN,
  "-0": -0,
};

const readFloat = (dtype: DType, value: Json | undefined, shown: string): ReadElement => {
  const number = typeof value === "string" ? special[value] : value;
  if (typeof number !== "number") return notA(value, shown);
  if (Number.isFinite(number) && !Number.isFinite(rounded(dtype, number)))
    return failed(
      "dtype/out-of-range",
      `${number} does not fit ${dtype}, whose largest number is ${largest(dtype)}`,
    );
  return { value: number };
};

const largest = (dtype: DType): string => (dtype === "FP16" ? "65504" : "3.4e38");

const notA = (value: Json | undefined, shown: string): Failed =>
  failed("dtype/mismatch", `${JSON.stringify(value)} is not an element of ${shown}`);
