import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathInside, upwards } from "@tritype/project/find";
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
  return upwards(cwd).find((folder) => existsSync(join(folder, ".git")));
};
