import { relative } from "node:path";

/** A path as people write it where they stand: relative, unless that is the longer way. */
export const shownPath = (cwd: string, path: string): string => {
  const shown = relative(cwd, path) || ".";
  return shown.length < path.length ? shown : path;
};
