import { existsSync, realpathSync } from "node:fs";
import { copyFile, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { attempt, notWritable } from "@tritype/core";
import { type ContentHash, fileHas } from "./content-hash.ts";
import type { HubFile } from "./repository.ts";

/** The error for a cache file that cannot be written. */
export const cacheHelp = "free some space or fix its permissions, or set HF_HUB_CACHE to another folder";

/** The folder of one repository in a cache of Hugging Face's layout: `blobs` by hash, `snapshots` by commit that point to them. */
export interface CachedRepository {
  readonly folder: string;
  readonly blob: (hash: ContentHash) => string;
  readonly snapshot: (commit: string, path: string) => string;
}

export const cachedRepository = (cache: string, name: string): CachedRepository => {
  const folder = join(cache, ["models", ...name.split("/")].join("--"));
  return {
    folder,
    blob: ({ hex }) => join(folder, "blobs", hex),
    snapshot: (commit, path) => join(folder, "snapshots", commit, ...path.split("/")),
  };
};

/**
 * A cached file with the right bytes, regardless of the tool that stored it; a file with wrong bytes is deleted.
 * undefined if there is none.
 */
export const findCached = async (
  cached: CachedRepository,
  commit: string,
  { path, hash }: HubFile,
  damaged: (path: string) => void,
): Promise<string | undefined> => {
  for (const candidate of [cached.blob(hash), cached.snapshot(commit, path)]) {
    if (!existsSync(candidate)) continue;
    if (await fileHas(candidate, hash)) return candidate;
    damaged(candidate);
    await rm(candidate, { force: true }).catch((error: unknown) => {
      throw notWritable(candidate, error, cacheHelp);
    });
  }
  return undefined;
};

/**
 * Makes a blob visible under its commit and path, for Python tools as well; copies it if linking fails. A copy may be damaged even if the
 * blob is not.
 */
export const showInSnapshot = async (
  cached: CachedRepository,
  commit: string,
  { path, hash }: HubFile,
): Promise<string> => {
  const shown = cached.snapshot(commit, path);
  const blob = cached.blob(hash);
  if (attempt(() => realpathSync(shown) === realpathSync(blob)) || (await fileHas(shown, hash))) return shown;
  const part = `${shown}.${process.pid}.part`;
  try {
    await mkdir(dirname(shown), { recursive: true });
    await rm(shown, { force: true });
    await symlink(relative(dirname(shown), blob), shown).catch(async () => {
      await copyFile(blob, part);
      await rename(part, shown);
    });
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw notWritable(shown, error, cacheHelp);
  }
  return shown;
};

/** Records the commit of a branch or tag for Python's tools. Our code does not read it: a read-only cache is enough. */
export const rememberRevision = async (
  { folder }: CachedRepository,
  revision: string,
  commit: string,
): Promise<void> => {
  if (revision === commit) return;
  const ref = join(folder, "refs", ...revision.split("/"));
  await mkdir(dirname(ref), { recursive: true })
    .then(() => writeFile(ref, commit))
    .catch(() => undefined);
};
