import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Terminal } from "../terminal.ts";

/** File names for reports that are read on other machines. */
export type ReportedPath = (file: string) => string;

/** Relative to the root of the current git checkout, as code hosts expect; without one, relative to the current folder. */
export const reportedPath = ({ cwd, env }: Pick<Terminal, "cwd" | "env">): ReportedPath => {
  const root = checkoutAround(cwd, env["GITHUB_WORKSPACE"]);
  return (file) => {
    const inside = root === undefined ? undefined : pathInside(root, resolve(cwd, file));
    return inside ?? file;
  };
};

/** GitHub's workspace if the current folder is inside it, otherwise the nearest parent folder with a `.git`. */
const checkoutAround = (cwd: string, workspace: string | undefined): string | undefined => {
  if (workspace && pathInside(workspace, cwd) !== undefined) return workspace;
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
};

/** A path relative to a folder, with "/": "" for the folder itself, undefined for a path outside it. */
export const pathInside = (root: string, path: string): string | undefined => {
  const inner = relative(root, path);
  return inner === ".." || inner.startsWith(`..${sep}`) || isAbsolute(inner)
    ? undefined
    : inner.split(sep).join("/");
};
