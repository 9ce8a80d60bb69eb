import { readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, sep } from "node:path";
import { attempt } from "@tritype/core";
import { pathInside, upwards } from "@tritype/project/find";
import { isLink } from "@tritype/runtime/host";

/** Path → a stamp that changes with the file's content. */
export type InputStamps = ReadonlyMap<string, string>;

export const stampInputs = (paths: Iterable<string>): InputStamps =>
  new Map([...paths].map((path) => [path, stampOf(path)]));

export const sameStamps = (a: InputStamps, b: InputStamps): boolean =>
  a.size === b.size && [...a].every(([path, stamp]) => b.get(path) === stamp);

/**
 * Size, time and identity of a file. For a folder: its identity and, if it was listed (a path with a separator at its end), the names in
 * it; otherwise its content does not matter.
 */
export const stampOf = (path: string): string =>
  attempt(() => {
    const found = statSync(path, { bigint: true });
    if (!found.isDirectory()) return `${found.size}:${found.mtimeNs}:${found.ino}`;
    const listed = path.endsWith(sep) ? readdirSync(path).toSorted().join("/") : "";
    return `folder:${found.ino}:${listed}`;
  }) ?? "missing";

/**
 * The paths to watch for changes to the files: the files, their folders (for files that reappear after a rename), links on the path from
 * the root, and their targets. For a missing path, the nearest folder that exists.
 */
export const placesOf = (root: string, inputs: Iterable<string>): ReadonlySet<string> => {
  const places = new Set<string>();
  const visited = new Set<string>();
  const visit = (path: string): void => {
    if (visited.has(path)) return;
    visited.add(path);
    if (!exists(path)) {
      if (path !== dirname(path)) visit(dirname(path));
      return;
    }
    places.add(path);
    const real = realPathOf(path);
    if (real !== path) places.add(real).add(dirname(real));
    for (const at of upwards(path))
      if (pathInside(root, at) !== undefined && isLink(at)) places.add(dirname(at));
  };
  visit(root);
  for (const input of inputs) {
    visit(input);
    visit(dirname(input));
  }
  return places;
};

const exists = (path: string): boolean => stampOf(path) !== "missing";

const realPathOf = (path: string): string => attempt(() => realpathSync(path)) ?? path;
