import { constants, existsSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { notWritable } from "@tritype/core";
import { type Environment, installLibraries, librariesFolder } from "@tritype/wheels";
import { cudaRelease, type CudaRelease } from "./cuda-release.ts";
import { installedBinding, libraryName } from "./installed-binding.ts";
import { runtimeError } from "../../../errors.ts";

export interface InstallCudaOptions {
  /** See `cacheFolder`. It needs about 2.5 GB. */
  readonly cache: string;
  /** Installs again, even if the installation is complete. */
  readonly force?: boolean;
  /** Called with a line for the user at each step that takes time. */
  readonly notice: (line: string) => void;
  readonly env?: Environment;
  /** Default: the version of the installed onnxruntime-node. */
  readonly release?: CudaRelease;
}

/** "linux-x64": platform and processor in Node's terms. */
const supported = "linux-x64";

/**
 * Installs the CUDA provider for the installed onnxruntime-node, with the CUDA libraries that it links to, into the
 * cache, where the runtime finds it. Does nothing if they are complete; an interrupted installation continues where it
 * stopped. Requires neither a GPU nor root.
 * @returns the folder of the libraries.
 * @throws PipelineError `device/unavailable` on systems for which there are none, and the errors of `installLibraries`.
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
    // ONNX Runtime looks for its providers in its own folder.
    finish: (folder) => copyFile(binding.library, join(folder, libraryName), constants.COPYFILE_FICLONE),
  });
};

/**
 * Deletes all CUDA libraries from the cache.
 * @returns whether there were any.
 * @throws PipelineError `file/not-writable`
 */
export const removeCuda = async (cache: string): Promise<boolean> => {
  const root = cudaRoot(cache);
  if (!existsSync(root)) return false;
  await rm(root, { recursive: true, force: true }).catch((error: unknown) => {
    throw notWritable(root, error, "delete the folder as its owner");
  });
  return true;
};

/** The folder of the libraries; undefined if there are none for the installed onnxruntime-node. */
export const installedCuda = (cache: string, release: CudaRelease = cudaRelease): string | undefined => {
  const folder = librariesFolder(cudaRoot(cache), release);
  return existsSync(folder) && installedBinding().version === release.onnxruntime ? folder : undefined;
};

const cudaRoot = (cache: string): string => join(cache, "gpu");
