import { isDType, ownValue } from "@tritype/core";
import { failed, type Failed } from "./inferred.ts";

/** Names that users write instead of a dtype, with the intended dtype: `"fp32"` is the name in a declaration. */
export const notADType = (given: unknown): Failed => {
  const meant = typeof given === "string" ? meantDType(given) : undefined;
  return failed(
    "dtype/not-supported",
    `${JSON.stringify(given) ?? typeof given} is not a dtype`,
    meant === undefined ? {} : { help: `write "${meant}" or ${meant.toLowerCase()}` },
  );
};

const meantDType = (given: string): string | undefined => {
  const name = given.toUpperCase();
  if (isDType(name)) return name;
  return ownValue(elsewhere, given);
};

/** The names of these dtypes in NumPy, PyTorch and TypeScript. */
const elsewhere: Readonly<Record<string, string>> = {
  float: "FP32",
  float16: "FP16",
  float32: "FP32",
  float64: "FP64",
  bfloat16: "BF16",
  half: "FP16",
  double: "FP64",
  number: "FP32",
  int: "INT64",
  long: "INT64",
  bigint: "INT64",
  boolean: "BOOL",
  string: "BYTES",
  str: "BYTES",
};
