import type { TensorType } from "@tritype/core";

/** One JSON text per row, whose value in the `run` of a step is a `T`. To the outside a BYTES tensor. */
export interface JsonTensorType<T> extends TensorType<"BYTES", ["batch", 1]> {
  /** Tells it from texts. */
  readonly json: true;
  /** Not there: what `run` gets or returns. */
  readonly "~value"?: T;
}

/**
 * BYTES[batch, 1] that holds JSON: `outputs: { spans: json<Span[]>() }`. In the `run` of `step` and `batchStep` its values are `T`:
 * plain data of strings, numbers, booleans, null, arrays and records. Text that is no JSON, or no `T`, is an error of its request.
 */
export const json = <T>(): JsonTensorType<T> => ({ dtype: "BYTES", dims: ["batch", 1], json: true });
