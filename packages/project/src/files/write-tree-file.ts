import { chmodSync, constants, copyFileSync, linkSync, realpathSync } from "node:fs";
import { fileBytes, type TreeFile } from "@tritype/compiler";
import { fileOnDisk } from "./file-on-disk.ts";
import { writeInPieces, writeLargeFile } from "./large-file.ts";
import { projectError } from "../errors.ts";

/**
 * Writes a file of a tree. Files of the project are copied by the file system.
 * @throws the file system's error; PipelineError `file/not-readable` if the project's file has changed since it was
 * compiled.
 */
export const writeTreeFile = (path: string, file: TreeFile): void => {
  if (file.kind !== "large-copy") {
    writeLargeFile(path, fileBytes(file));
    return;
  }
  const { place } = file.file;
  const hash = file.file.sha256();
  if (place === undefined) {
    if (writeInPieces(path, file.file) !== hash)
      throw projectError("build/file-changed", { path: file.from });
    return;
  }
  copyFileSync(place, path, constants.COPYFILE_FICLONE);
  // A copy has the same mode as its source, but the server may run as a different user.
  chmodSync(path, 0o666 & ~process.umask());
  if (file.file.sha256() !== hash || fileOnDisk(path)?.size !== file.file.size)
    throw projectError("build/file-changed", { path: file.from });
};

/** Like `writeTreeFile`, for a folder that is only read and soon deleted: read-only files are hard-linked instead of copied. */
export const lendTreeFile = (path: string, file: TreeFile): void => {
  if (file.kind === "large-copy" && file.onlyRead && file.file.place !== undefined)
    try {
      linkSync(realpathSync(file.file.place), path);
      return;
    } catch {
      // A different file system, or one without links.
    }
  writeTreeFile(path, file);
};
