import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "@tritype/core";

/**
 * Creates a folder and its parents. Node's own recursive mkdir never returns if a folder cannot be created in an
 * existing one (/proc).
 */
export const makeFolders = (folder: string): void => {
  const missing: string[] = [];
  for (let at = folder; !isFolder(at); at = dirname(at)) {
    missing.push(at);
    if (at === dirname(at)) break;
  }
  for (const at of missing.toReversed())
    try {
      mkdirSync(at);
    } catch (error) {
      if (isFolder(at)) continue;
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      // A file is in the way: the system's error for the folder says so.
      mkdirSync(folder);
    }
};

const isFolder = (path: string): boolean =>
  attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) ?? false;
