import { lstatSync } from "node:fs";

/** Whether a path is a symbolic link, regardless of its target; false if the path does not exist. */
export const isLink = (path: string | Buffer): boolean => {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
};
