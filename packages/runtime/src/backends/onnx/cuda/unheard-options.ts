import type { GpuProvider } from "./gpu-providers.ts";

/**
 * One line on the options that onnxruntime-node does not hand on, undefined when there are none. Measured on 1.30: its binding reads
 * `deviceId` of CUDA's and TensorRT's options and nothing else (docs/decisions/0020-cuda-libraries-from-the-cache.md).
 */
export const unheardOptions = (model: string, providers: readonly GpuProvider[]): string | undefined => {
  const names = providers.flatMap(({ options }) => Object.keys(options));
  if (names.length === 0) return undefined;
  return `model '${model}' runs with the defaults of ${names.join(", ")}: onnxruntime-node only passes the device to its GPU providers, Triton passes all options`;
};
