import { relative } from "node:path";

/** A path relative to the current folder, unless the absolute path is shorter. */
export const shownPath = (cwd: string, path: string): string => {
  const shown = relative(cwd, path) || ".";
  return shown.length < path.length ? shown : path;
};
