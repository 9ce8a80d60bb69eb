import { installedCuda } from "./install-cuda.ts";
import { type DeviceProblem, probeCuda, takeLibraries } from "./probe-cuda.ts";

/** Why models cannot run on CUDA with what lies in the cache, or undefined when they can. For a process that serves nothing. */
export const probeInstalledCuda = async (cache: string): Promise<DeviceProblem | undefined> => {
  const libraries = installedCuda(cache);
  return (libraries === undefined ? undefined : takeLibraries(libraries)) ?? (await probeCuda(libraries));
};
