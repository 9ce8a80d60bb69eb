import { type DType, type Scalar, type TensorData, tensorOf } from "@tritype/core";
import type { GrpcContents } from "./grpc-messages.ts";
import { invalid } from "./json-value.ts";
import { requestRawData, requireElements, type TensorOwner } from "./raw-data.ts";

/** Each field of `InferTensorContents`: the dtypes it may hold; the last is the one that errors name. */
const fields: readonly (readonly [keyof GrpcContents, readonly DType[]])[] = [
  ["bool_contents", ["BOOL"]],
  ["int_contents", ["INT8", "INT16", "INT32"]],
  ["int64_contents", ["INT64"]],
  ["uint_contents", ["UINT8", "UINT16", "UINT32"]],
  ["uint64_contents", ["UINT64"]],
  ["fp32_contents", ["FP32"]],
  ["fp64_contents", ["FP64"]],
  ["bytes_contents", ["BYTES"]],
];

/**
 * A tensor of typed contents. FP16 and BF16 have no field.
 * @throws PipelineError `request/invalid` when a field of another dtype is filled, or the count of texts does not fit the shape.
 */
export const readContents = (
  owner: TensorOwner,
  dtype: DType,
  shape: readonly number[],
  contents: GrpcContents,
): TensorData => {
  const filled = fields.filter(([field]) => contents[field].length > 0);
  for (const [, dtypes] of filled)
    if (!dtypes.includes(dtype))
      throw invalid(
        `unexpected explicit tensor data for input tensor '${owner.input}' for model '${owner.model}' of type '${dtypes.at(-1)}', expected datatype '${dtype}'`,
      );
  const [field] = filled[0] ?? [];
  const elements: readonly (Scalar | Uint8Array)[] = field === undefined ? [] : contents[field];
  const tensor = tensorOf(
    dtype,
    [elements.length],
    dtype.endsWith("INT64") ? elements.map((e) => BigInt(e as string)) : elements,
  );
  if (tensor.dtype === "BYTES") return requireElements(owner, { dtype: "BYTES", shape, data: tensor.data });
  return requestRawData(owner, dtype, shape, tensor.data);
};
