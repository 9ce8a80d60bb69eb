import { type NamedTensors, rawSize } from "@tritype/core";

/** Bytes of the tensors, plus a few for each string. */
export const sizeOf = (tensors: NamedTensors): number => {
  let size = 0;
  for (const tensor of tensors.values()) size += rawSize(tensor);
  return size;
};
