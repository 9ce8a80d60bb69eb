import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AppendOptions, TreeFile } from "@tritype/compiler";
import type { Manifest } from "@tritype/manifest";
import { whileLocked } from "./build-lock.ts";
import { fileOnDisk } from "./file-on-disk.ts";
import { readLargeFile } from "./large-file.ts";
import { hasStaged, recoverStaged } from "./staged-files.ts";
import { readManifest } from "./write-build.ts";

/**
 * The build in the folder as a value; undefined if there is none. The partial commit of a killed build is undone first. Files are read
 * lazily, so that old versions of large models need not be in memory together.
 * @throws PipelineError `file/foreign` if the manifest was written by another tool or by a newer tritype.
 */
export const readBuild = (folder: string): AppendOptions["previous"] => {
  const manifest = readSoundManifest(folder);
  if (manifest === undefined) return undefined;
  const owned = Object.keys(manifest.files).filter((path) => fileOnDisk(join(folder, path)) !== undefined);
  return { manifest, tree: new Map(owned.map((path) => [path, fileAt(join(folder, path))])) };
};

/** The manifest of the build in the folder; the partial commit of a killed build does not count as a build. */
const readSoundManifest = (folder: string): Manifest | undefined => {
  if (isFolder(folder) && hasStaged(folder)) whileLocked(folder, () => recoverStaged(folder));
  return readManifest(folder);
};

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();

const fileAt = (path: string): TreeFile => ({
  kind: "bytes",
  get bytes() {
    return readLargeFile(path);
  },
});
