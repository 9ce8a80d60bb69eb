import type { DType } from "@tritype/core";

/** onnxruntime-node's name for a dtype. BF16 is missing: the JavaScript binding does not have it. */
export const ortTypes: Readonly<Partial<Record<DType, string>>> = {
  BOOL: "bool",
  UINT8: "uint8",
  UINT16: "uint16",
  UINT32: "uint32",
  UINT64: "uint64",
  INT8: "int8",
  INT16: "int16",
  INT32: "int32",
  INT64: "int64",
  FP16: "float16",
  FP32: "float32",
  FP64: "float64",
  BYTES: "string",
};

const byName = new Map(Object.entries(ortTypes).map(([dtype, name]) => [name, dtype as DType]));

export const dtypeOfOrtType = (name: string): DType | undefined => byName.get(name);
