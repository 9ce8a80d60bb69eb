import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "@tritype/manifest";
import { passingFiles } from "../host/passing-files.ts";

/** The files that a model was loaded from, as strings that compare equal until something changes. */
export interface ModelFiles {
  /** Stamp of the configuration and everything else that the versions share. */
  readonly shared: string;
  /** Stamps of the versions, by the name of the version's folder. */
  readonly versions: ReadonlyMap<string, string>;
}

/** Path in the model's folder → size, time and identity of the file. */
export type FileStamps = ReadonlyMap<string, string>;

export const sameFiles = (a: ModelFiles | undefined, b: ModelFiles | undefined): boolean =>
  a === undefined || b === undefined
    ? a === b
    : a.shared === b.shared &&
      a.versions.size === b.versions.size &&
      [...a.versions].every(([version, files]) => files === b.versions.get(version));

/** Stamps of all files of every folder in the repository, by folder name; empty if there is no repository. */
export const stampRepository = async (folder: string): Promise<ReadonlyMap<string, FileStamps>> => {
  const names = await readdir(folder).catch((): string[] => []);
  const stamped = names.map(async (name) => [name, await stampModel(join(folder, name))] as const);
  return new Map(await Promise.all(stamped));
};

/** Stamps of all files of a model's folder; empty if there is none. */
export const stampModel = async (folder: string): Promise<FileStamps> => {
  const stamps = new Map<string, string>();
  await stampFolder(folder, "", 0, stamps);
  return stamps;
};

/**
 * The relevant files of a model. In a folder owned by a build, these are the files that its manifest lists, with the
 * hashes from there: files that a model writes next to them do not count.
 */
export const modelFiles = (name: string, stamps: FileStamps, manifest: Manifest | undefined): ModelFiles => {
  const prefix = `model_repository/${name}/`;
  const hashes = new Map(
    Object.entries(manifest?.files ?? {})
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, hash]) => [path.slice(prefix.length), hash]),
  );
  const owned = new Set([...hashes.keys()].map(partOf));
  const shared: string[] = [JSON.stringify(manifest?.models.find((model) => model.name === name)?.twin)];
  const versions = new Map<string, string>();
  for (const path of [...new Set([...stamps.keys(), ...hashes.keys()])].toSorted()) {
    const part = partOf(path);
    if (owned.has(part) && !hashes.has(path)) continue;
    const line = `${path} ${stamps.get(path) ?? "missing"} ${hashes.get(path) ?? ""}`;
    if (/^[0-9]+$/.test(part)) versions.set(part, `${versions.get(part) ?? ""}${line}\n`);
    else shared.push(line);
  }
  return { shared: shared.join("\n"), versions };
};

/** The first part of a path: a version's folder, another folder, or a file. */
const partOf = (path: string): string => path.split("/", 1)[0] ?? "";

const deepest = 16;

const stampFolder = async (
  folder: string,
  below: string,
  depth: number,
  stamps: Map<string, string>,
): Promise<void> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  await Promise.all(
    entries.map(async (entry) => {
      if (passingFiles.test(entry.name)) return;
      const [path, shown] = [join(folder, entry.name), `${below}${entry.name}`];
      const found = await stat(path, { bigint: true }).catch(() => undefined);
      if (found === undefined) return;
      if (!found.isDirectory()) {
        stamps.set(shown, `${found.size}:${found.mtimeNs}:${found.ino}`);
        return;
      }
      stamps.set(`${shown}/`, "folder");
      // A link that leads upwards would recurse forever.
      if (depth < deepest) await stampFolder(path, `${shown}/`, depth + 1, stamps);
    }),
  );
};
