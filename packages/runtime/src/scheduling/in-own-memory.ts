import type { TensorData } from "@tritype/core";

/** A tensor to keep: a view of a batch, or of a process's message, would keep all of it in memory. */
export const inOwnMemory = (tensor: TensorData): TensorData =>
  tensor.dtype === "BYTES"
    ? { ...tensor, data: tensor.data.map(copyOf) }
    : { ...tensor, data: copyOf(tensor.data) };

const copyOf = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
