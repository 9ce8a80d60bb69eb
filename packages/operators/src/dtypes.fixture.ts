import { type DType, dtypes } from "@tritype/core";

export const floats: readonly DType[] = ["FP16", "FP32", "FP64"];
export const signed: readonly DType[] = ["INT8", "INT16", "INT32", "INT64"];
const unsigned: readonly DType[] = ["UINT8", "UINT16", "UINT32", "UINT64"];
export const numbers: readonly DType[] = [...signed, ...unsigned, ...floats];
/** Numbers that ONNX Runtime can order along an axis. */
export const ranked: readonly DType[] = numbers.filter((dtype) => dtype !== "UINT64");
/** Every dtype that ONNX Runtime has kernels for. */
export const runnable: readonly DType[] = (Object.keys(dtypes) as DType[]).filter(
  (dtype) => dtype !== "BF16",
);
