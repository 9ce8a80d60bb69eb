import type { ModelConfig } from "./generated/model-config.ts";

const parameters: ReadonlySet<string> = new Set(["trt_engine_cache_path", "trt_timing_cache_path"]);

const isFolder = /^\/[\w./-]+$/;
const isTemporary = /^\/tmp(?:\/|$)/;

/**
 * The absolute folders in which the TensorRT accelerator keeps what it has built, sorted. Those below /tmp are left out, because servers
 * can write there and do not expect to find anything.
 */
export const cacheFoldersOf = (configs: readonly ModelConfig[]): readonly string[] => {
  const accelerators = configs.flatMap(
    ({ optimization }) => optimization?.execution_accelerators?.gpu_execution_accelerator ?? [],
  );
  const folders = accelerators
    .flatMap(({ parameters: given = {} }) => Object.entries(given))
    .filter(([name]) => parameters.has(name))
    .map(([, path]) => path.replace(/\/+$/, ""));
  return [...new Set(folders)].filter((path) => isFolder.test(path) && !isTemporary.test(path)).toSorted();
};
