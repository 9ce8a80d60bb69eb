import { installedCuda } from "./install-cuda.ts";
import { type DeviceProblem, probeCuda, takeLibraries } from "./probe-cuda.ts";

/**
 * The reason why models cannot use CUDA with the cached libraries; undefined if they can. For a process that does not
 * serve models.
 */
export const probeInstalledCuda = async (cache: string): Promise<DeviceProblem | undefined> => {
  const libraries = installedCuda(cache);
  return (libraries === undefined ? undefined : takeLibraries(libraries)) ?? (await probeCuda(libraries));
};
