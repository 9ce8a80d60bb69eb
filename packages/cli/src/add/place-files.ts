import { constants, copyFileSync, existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt, inBackticks, notWritable } from "@tritype/core";
import { fileOnDisk } from "@tritype/project";
import { hasEnded, makeFolders } from "@tritype/wheels";
import { cliError } from "../errors.ts";

/** A file to place in the project. */
export interface PlacedFile {
  /** Path relative to the project's root, with "/". */
  readonly to: string;
  /** Absolute path of the source bytes. */
  readonly from: string;
  readonly sha256: string;
}

/**
 * Project files that would be overwritten although we did not write them: their bytes match neither the new file nor the hash in
 * the lock file.
 */
export const foreignFiles = (
  root: string,
  files: readonly { readonly to: string; readonly sha256: string }[],
  ours: (to: string) => string | undefined,
): readonly string[] =>
  files.flatMap(({ to, sha256 }) => {
    const path = join(root, to);
    if (!existsSync(path)) return [];
    const there = fileOnDisk(path)?.sha256() ?? "a folder";
    return there === sha256 || there === ours(to) ? [] : [to];
  });

/** @throws PipelineError `file/foreign` */
export const refuseForeign = (foreign: readonly string[], help: string): void => {
  if (foreign.length === 0) return;
  throw cliError(
    "add/would-overwrite",
    { files: inBackticks(foreign), them: foreign.length === 1 ? "it" : "them" },
    { help },
  );
};

/**
 * Places a file in the project completely or not at all; it is cloned if the file system supports it, otherwise copied. Returns false if
 * the file already existed.
 */
export const placeFile = (root: string, { to, from, sha256 }: PlacedFile): boolean => {
  const path = join(root, to);
  removeUnfinished(path);
  if (fileOnDisk(path)?.sha256() === sha256) return false;
  const staged = `${path}.${process.pid}.part`;
  try {
    makeFolders(dirname(path));
    copyFileSync(from, staged, constants.COPYFILE_FICLONE);
    renameSync(staged, path);
    return true;
  } catch (error) {
    rmSync(staged, { force: true });
    throw notWritable(to, error, "make room, or fix the permissions of the project's folder");
  }
};

/** Removes the copies that killed processes left behind: models may be large. */
const removeUnfinished = (path: string): void => {
  for (const name of attempt(() => readdirSync(dirname(path))) ?? []) {
    const [, of, pid] = /^(.*)\.(\d+)\.part$/.exec(name) ?? [];
    if (of === basename(path) && hasEnded(Number(pid)))
      attempt(() => rmSync(join(dirname(path), name), { force: true }));
  }
};
