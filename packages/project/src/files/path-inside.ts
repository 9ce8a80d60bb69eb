import { isAbsolute, relative, sep } from "node:path";

/** A path relative to a folder, with "/": "" for the folder itself, undefined for a path outside it. */
export const pathInside = (root: string, path: string): string | undefined => {
  const inner = relative(root, path);
  return inner === ".." || inner.startsWith(`..${sep}`) || isAbsolute(inner)
    ? undefined
    : inner.split(sep).join("/");
};
