import type { TensorType } from "@tritype/core";

/** One JSON text per row: in the `run` of a step its value is a `T`; elsewhere it is a BYTES tensor. */
export interface JsonTensorType<T> extends TensorType<"BYTES", ["batch", 1]> {
  /** Distinguishes a JSON tensor from plain text. */
  readonly json: true;
  /** Exists only in types: the value that `run` gets or returns. */
  readonly "~value"?: T;
}

/**
 * BYTES[batch, 1] with JSON: `outputs: { spans: json<Span[]>() }`. In the `run` of `step` and `batchStep` its values are `T`: plain data of
 * strings, numbers, booleans, null, arrays and records. Text that is not JSON, or does not match `T`, makes its request fail.
 */
export const json = <T>(): JsonTensorType<T> => ({ dtype: "BYTES", dims: ["batch", 1], json: true });
