import type { CompilerHost } from "../compiler-host.ts";
import { openFile } from "../open-file.ts";
import type { TreeFile } from "../tree.ts";

type Placed = readonly (readonly [path: string, file: TreeFile])[];

/** A project file under a name in the version folder; empty if it does not exist. */
export const placedFile = (name: string, from: string, host: CompilerHost): Placed => {
  const file = openFile(host, from);
  return file === undefined ? [] : [[name, { kind: "large-copy", from, file }]];
};

/** All files in a project folder, except hidden files and Python's caches; empty if it does not exist. */
export const placedFolder = (folder: string, host: CompilerHost, under = ""): Placed => {
  const root = folder.replace(/\/+$/, "");
  return (host.listFiles(root) ?? [])
    .filter((path) => !isLeftOver(path))
    .flatMap((path) => placedFile(`${under}${path}`, `${root}/${path}`, host));
};

/** Files that a step places next to its model: name in that folder → file or folder in the project. */
export interface BesideFiles {
  readonly files: Placed;
  /** Names with paths in the project that do not exist. */
  readonly missing: readonly { readonly name: string; readonly path: string }[];
  /** Names that cannot be used, and the reasons. */
  readonly clashes: readonly { readonly name: string; readonly why: string }[];
}

/** @param taken Names that already exist in the version folder. */
export const placedBeside = (
  files: Readonly<Record<string, string>>,
  taken: Iterable<string>,
  host: CompilerHost,
): BesideFiles => {
  const names = new Set(taken);
  const all: [string, TreeFile][] = [];
  const missing: { name: string; path: string }[] = [];
  const clashes: { name: string; why: string }[] = [];
  for (const [name, path] of Object.entries(files)) {
    const found = [...placedFile(name, path, host), ...placedFolder(path, host, `${name}/`)];
    if (found.length === 0) missing.push({ name, path });
    if (leadsOut(name)) clashes.push({ name, why: "it is outside the folder" });
    else if (found.some(([other]) => names.has(other)))
      clashes.push({ name, why: "another file has that name" });
    for (const [other, file] of found) {
      names.add(other);
      all.push([other, file]);
    }
  }
  return { files: all, missing, clashes };
};

const leadsOut = (name: string): boolean =>
  name.includes("\\") || name.split("/").some((part) => part === "" || part === "." || part === "..");

/** Files that editors, tools and Python create in folders, and type stubs, which no server reads. */
const isLeftOver = (path: string): boolean =>
  path.split("/").some((part) => part.startsWith(".") || part === "__pycache__") || /\.py[cio]$/.test(path);
