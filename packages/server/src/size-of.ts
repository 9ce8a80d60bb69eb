import { type NamedTensors, rawSize } from "@tritype/core";

/** Size of the tensors in bytes, plus a few bytes for each string. */
export const sizeOf = (tensors: NamedTensors): number => {
  let size = 0;
  for (const tensor of tensors.values()) size += rawSize(tensor);
  return size;
};
