import { symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { temporaryFolder } from "@tritype/wheels";

/** A path of printable ASCII characters without spaces. */
export interface PlainPath {
  readonly path: string;
  /** Replaces this path in a line of output with the folder's own. */
  shown(line: string): string;
  remove(): void;
}

const isPlain = (path: string): boolean => /^[\x21-\x7e]+$/.test(path);

/**
 * The folder itself, or a link to it in a temporary folder: Triton's Python backend separates arguments by spaces and reads paths as
 * ASCII (24.10).
 */
export const plainPath = (folder: string): PlainPath => {
  if (isPlain(folder)) return { path: folder, shown: (line) => line, remove: () => undefined };
  const temporary = temporaryFolder("tritype-triton-", isPlain(tmpdir()) ? tmpdir() : "/tmp");
  const path = join(temporary.path, "models");
  symlinkSync(folder, path);
  return {
    path,
    shown: (line) => line.replaceAll(path, folder),
    remove: temporary.remove,
  };
};
