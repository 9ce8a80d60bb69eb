import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** Whether a path relative to a folder exists. */
export type Exists = (path: string) => boolean;

/** Looks up each path only once, and nothing in a folder that does not exist: a build asks about thousands of files. */
export const existingIn = (folder: string): Exists => {
  const known = new Map<string, boolean>();
  const exists: Exists = (path) => {
    const found =
      known.get(path) ?? ((!path.includes("/") || exists(dirname(path))) && existsSync(join(folder, path)));
    known.set(path, found);
    return found;
  };
  return exists;
};
