import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { notWritable } from "@tritype/core";
import { writeWhole } from "@tritype/wheels";

/**
 * Adds a folder of the project to its `.gitignore`; false if it is already there.
 * @param folder Path from the root, with "/".
 */
export const ignoreInGit = (root: string, folder: string): boolean => {
  const path = join(root, ".gitignore");
  const line = `/${folder}/`;
  try {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    const bare = (one: string): string => one.trim().replaceAll(/^\/|\/$/g, "");
    const known = new Set(text.split(/\r?\n/).map(bare));
    if (folder.split("/").some((_, i, parts) => known.has(parts.slice(0, i + 1).join("/")))) return false;
    writeWhole(path, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}\n`);
    return true;
  } catch (error) {
    throw notWritable(".gitignore", error, "make room, or fix its permissions");
  }
};
