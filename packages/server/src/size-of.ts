import type { NamedTensors } from "@tritype/core";

/** Bytes of the tensors, plus a few for each string. */
export const sizeOf = (tensors: NamedTensors): number => {
  let size = 0;
  for (const tensor of tensors.values())
    if (tensor.dtype !== "BYTES") size += tensor.data.byteLength;
    else for (const text of tensor.data) size += text.byteLength + 4;
  return size;
};
