import { readFileSync } from "node:fs";
import { constants } from "node:os";

/**
 * Loads shared libraries into this process for good, in their order: what comes later finds them by their names, wherever they lie.
 * A name without a folder is looked for where the system looks. Linux only.
 * @returns what the loader said of the first that it could not load.
 */
export const loadLibraries = (paths: readonly string[]): string | undefined => {
  for (const path of paths) {
    const problem = loadLibrary(path);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** glibc's RTLD_NODELETE: Node closes again what is no addon, and the library stays. */
const stay = 0x1000;

const loadLibrary = (path: string): string | undefined => {
  try {
    process.dlopen({ exports: {} }, path, constants.dlopen.RTLD_LAZY | stay);
    return undefined;
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return text.startsWith("Module did not self-register") ? undefined : text;
  }
};

/** Path of a library of this name that is in this process already, from another folder than `folder`. */
export const loadedFromElsewhere = (name: string, folder: string): string | undefined => {
  const paths = readFileSync("/proc/self/maps", "utf8")
    .split("\n")
    .map((line) => line.split(/\s+/, 6)[5] ?? "");
  return paths.find((path) => path.endsWith(`/${name}`) && path !== `${folder}/${name}`);
};
