import { type Dims, isOptional, type Signature, type TensorType } from "@tritype/core";
import type { FunctionTensor } from "@tritype/manifest";

/** The declarations of a function's tensors. */
export const tensorsOf = (signature: Signature): Readonly<Record<string, FunctionTensor>> =>
  Object.fromEntries(
    Object.entries(signature).map(([name, type]) => [
      name,
      {
        dtype: type.dtype,
        dims: type.dims satisfies Dims,
        ...(isOptional(type) ? { optional: true as const } : {}),
        ...(isJson(type) ? { json: true as const } : {}),
      },
    ]),
  );

/** Whether the tensor was declared with `json<T>()`. */
export const isJson = (type: TensorType): boolean => "json" in type && type.json === true;
