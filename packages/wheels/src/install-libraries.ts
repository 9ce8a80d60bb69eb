import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { notWritable, PipelineError } from "@tritype/core";
import type { Environment } from "./cache-folder.ts";
import { withFileLock } from "./file-lock.ts";
import { findPip } from "./find-pip.ts";
import { makeFolders } from "./make-folders.ts";
import type { PinnedWheel } from "./pinned-wheel.ts";
import { titleOf, unpackWheel } from "./unpack-wheel.ts";
import { wheelsError } from "./errors.ts";

/** Shared libraries in one folder, and the wheels that they come from. */
export interface LibrarySet {
  /** Prefix of the folder's name: "onnxruntime-1.30.0". */
  readonly name: string;
  readonly wheels: readonly PinnedWheel[];
  /** The disk space that the libraries take. */
  readonly bytes: number;
}

export interface InstallLibrariesOptions {
  /** Folder of all sets of this kind. */
  readonly root: string;
  readonly set: LibrarySet;
  /** Installs again, even if the installation is complete. */
  readonly force?: boolean;
  /** Adds other files to the libraries, before the folder gets its final name. */
  readonly finish?: (folder: string) => Promise<void>;
  /** Called with a line for the user at each step that takes time. */
  readonly notice: (line: string) => void;
  readonly env: Environment;
}

/** The folder of a complete set; a set with other wheels has a different folder. */
export function librariesFolder(root: string, { name, wheels }: LibrarySet): string {
  const hash = createHash("sha256").update(JSON.stringify(wheels.map(({ sha256 }) => sha256)));
  return join(root, `${name}-${hash.digest("hex").slice(0, 12)}`);
}

/**
 * The folder with the set's libraries. Wheels are unpacked one by one into `<folder>.part`, where an interrupted
 * installation continues; the folder is renamed when all are there. Safe to call from several processes at once. Linux
 * only.
 * @throws PipelineError `file/not-writable`, `tool/missing` without a Python, and the errors of `unpackWheel`.
 */
export async function installLibraries(options: InstallLibrariesOptions): Promise<string> {
  const { root, set, force = false, env } = options;
  const folder = librariesFolder(root, set);
  if (existsSync(folder) && !force) return folder;
  const staging = `${folder}.part`;
  try {
    makeFolders(staging);
  } catch (error) {
    throw cannotWrite(root, error);
  }
  const pip = await findPip(staging, env);
  await asNotWritable(root, () =>
    withFileLock(pip.python, join(root, "lock"), async () => {
      if (existsSync(folder) && !force) return;
      const libraries = join(staging, "libraries");
      await mkdir(libraries, { recursive: true });
      const missing = set.wheels.filter((wheel) => !existsSync(doneMark(staging, wheel)));
      await announce(options, folder, missing);
      for (const wheel of missing) {
        const position = `${set.wheels.indexOf(wheel) + 1} of ${set.wheels.length}`;
        options.notice(`fetching ${titleOf(wheel)} (${megabytes(wheel.bytes)}), ${position}`);
        await unpackWheel(wheel, { pip, staging: join(staging, "wheel"), libraries, env });
        await writeFile(doneMark(staging, wheel), "");
      }
      await options.finish?.(libraries);
      await replace(folder, libraries);
      await rm(staging, { recursive: true, force: true });
    }),
  );
  return folder;
}

/** A running server keeps the files that it has open. */
const replace = async (folder: string, by: string): Promise<void> => {
  const old = `${folder}.old`;
  await rm(old, { recursive: true, force: true });
  if (existsSync(folder)) await rename(folder, old);
  await rename(by, folder);
  await rm(old, { recursive: true, force: true });
};

const asNotWritable = async (root: string, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    throw PipelineError.is(error) || !isSystemError(error) ? error : cannotWrite(root, error);
  }
};

const isSystemError = (error: unknown): boolean => error instanceof Error && "syscall" in error;

const cannotWrite = (root: string, error: unknown): PipelineError =>
  notWritable(root, error, "set TRITYPE_CACHE to a writable folder");

const doneMark = (staging: string, wheel: PinnedWheel): string => join(staging, `${wheel.sha256}.done`);

const announce = async (
  { set, notice }: InstallLibrariesOptions,
  folder: string,
  missing: readonly PinnedWheel[],
): Promise<void> => {
  const download = sum(missing.map(({ bytes }) => bytes));
  const largest = Math.max(0, ...missing.map(({ bytes }) => bytes));
  notice(
    `installing ${set.name} into ${folder}: ${megabytes(download)} to fetch, ${megabytes(set.bytes)} on disk`,
  );
  // For a short time the folder contains a wheel both packed and unpacked.
  const needed = Math.round((set.bytes * download) / sum(set.wheels.map(({ bytes }) => bytes))) + 3 * largest;
  const { bavail, bsize } = await statfs(`${folder}.part`);
  if (bavail * bsize < needed)
    throw wheelsError("install/no-space", {
      folder,
      needed: megabytes(needed),
      free: megabytes(bavail * bsize),
    });
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const megabytes = (bytes: number): string =>
  bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${Math.round(bytes / 1e6)} MB`;
