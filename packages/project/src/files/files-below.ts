import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Paths of everything in a folder and its subfolders except the folders themselves: relative to it, with "/". */
export const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
