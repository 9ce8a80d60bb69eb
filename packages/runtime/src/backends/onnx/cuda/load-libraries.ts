import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { messageOf } from "@tritype/core";

/**
 * Loads shared libraries into this process permanently, in order: later ones find them by name, wherever they are. A
 * name without a folder is searched for in the system's usual locations. Linux only. @returns The loader's message
 * about the first library that it could not load.
 */
export const loadLibraries = (paths: readonly string[]): string | undefined => {
  for (const path of paths) {
    const problem = loadLibrary(path);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** glibc's RTLD_NODELETE: Node closes a library that is not an addon, but it stays loaded. */
const stay = 0x1000;

const loadLibrary = (path: string): string | undefined => {
  try {
    process.dlopen({ exports: {} }, path, constants.dlopen.RTLD_LAZY | stay);
    return undefined;
  } catch (error) {
    const text = messageOf(error);
    return text.startsWith("Module did not self-register") ? undefined : text;
  }
};

/** Path of a library with this name that is already loaded in this process from a folder other than `folder`. */
export const loadedFromElsewhere = (name: string, folder: string): string | undefined => {
  const paths = readFileSync("/proc/self/maps", "utf8")
    .split("\n")
    .map((line) => line.split(/\s+/, 6)[5] ?? "");
  return paths.find((path) => path.endsWith(`/${name}`) && path !== `${folder}/${name}`);
};
