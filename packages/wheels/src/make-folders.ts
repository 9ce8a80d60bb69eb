import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder and those above it. Node's own recursive mkdir never returns where a folder cannot be made in an existing one (/proc). */
export const makeFolders = (folder: string): void => {
  const missing: string[] = [];
  for (let at = folder; !isFolder(at); at = dirname(at)) {
    missing.push(at);
    if (at === dirname(at)) break;
  }
  for (const at of missing.toReversed())
    try {
      mkdirSync(at);
    } catch {
      // The system's own error for the folder is the better reason.
      if (!isFolder(at)) mkdirSync(folder);
    }
};

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};
