import { lstatSync } from "node:fs";

/** Whether a path is a symbolic link, wherever it leads; false where nothing is. */
export const isLink = (path: string | Buffer): boolean => {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
};
