import type { GpuProvider } from "./gpu-providers.ts";

/**
 * One line about the options that onnxruntime-node does not pass on; undefined if there are none. Measured on 1.30: its
 * binding reads only `deviceId` from the options of CUDA and TensorRT
 * (docs/decisions/0020-cuda-libraries-from-the-cache.md).
 */
export const unheardOptions = (model: string, providers: readonly GpuProvider[]): string | undefined => {
  const names = providers.flatMap(({ options }) => Object.keys(options));
  if (names.length === 0) return undefined;
  return `model '${model}' runs with the defaults of ${names.join(", ")}: onnxruntime-node only passes the device to its GPU providers, whereas Triton passes all options`;
};
