import { constants, existsSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { notWritable } from "@tritype/core";
import { type Environment, installLibraries, librariesFolder } from "@tritype/wheels";
import { cudaRelease, type CudaRelease } from "./cuda-release.ts";
import { installedBinding, libraryName } from "./installed-binding.ts";
import { runtimeError } from "../../../errors.ts";

export interface InstallCudaOptions {
  /** See `cacheFolder`. Takes about 2.5 GB. */
  readonly cache: string;
  /** Repeats even a complete installation. */
  readonly force?: boolean;
  /** Called with a line for a person at each step that takes time. */
  readonly notice: (line: string) => void;
  readonly env?: Environment;
  /** Default: that of the installed onnxruntime-node. */
  readonly release?: CudaRelease;
}

/** "linux-x64", as Node calls platform and processor. */
const supported = "linux-x64";

/**
 * Puts the CUDA provider of the installed onnxruntime-node, with the CUDA libraries that it links, into the cache, where the runtime
 * finds it. Does nothing when they are complete; an interrupted installation goes on where it was. Needs no GPU and no root.
 * @returns the folder of the libraries.
 * @throws PipelineError `device/unavailable` on systems for which there are none, and what `installLibraries` throws.
 */
export const installCuda = async (
  { cache, force = false, notice, env = process.env, release = cudaRelease }: InstallCudaOptions,
  system: string = `${process.platform}-${process.arch}`,
): Promise<string> => {
  if (system !== supported) throw runtimeError("device/no-cuda-libraries", { system });
  const binding = installedBinding();
  if (binding.version !== release.onnxruntime)
    throw runtimeError("device/other-onnxruntime", {
      wanted: release.onnxruntime,
      installed: binding.version,
    });
  return installLibraries({
    root: cudaRoot(cache),
    set: release,
    force,
    notice,
    env,
    // ONNX Runtime looks for its providers beside itself.
    finish: (folder) => copyFile(binding.library, join(folder, libraryName), constants.COPYFILE_FICLONE),
  });
};

/** Deletes all CUDA libraries of the cache. @returns whether there were any. @throws PipelineError `file/not-writable` */
export const removeCuda = async (cache: string): Promise<boolean> => {
  const root = cudaRoot(cache);
  if (!existsSync(root)) return false;
  await rm(root, { recursive: true, force: true }).catch((error: unknown) => {
    throw notWritable(root, error, "delete the folder as its owner");
  });
  return true;
};

/** The folder of the libraries, undefined when there are none for the installed onnxruntime-node. */
export const installedCuda = (cache: string, release: CudaRelease = cudaRelease): string | undefined => {
  const folder = librariesFolder(cudaRoot(cache), release);
  return existsSync(folder) && installedBinding().version === release.onnxruntime ? folder : undefined;
};

const cudaRoot = (cache: string): string => join(cache, "gpu");
