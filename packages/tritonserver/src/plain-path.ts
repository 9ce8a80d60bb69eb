import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
  const temporary = mkdtempSync(join(isPlain(tmpdir()) ? tmpdir() : "/tmp", "tritype-triton-"));
  const path = join(temporary, "models");
  symlinkSync(folder, path);
  return {
    path,
    shown: (line) => line.replaceAll(path, folder),
    remove: () => rmSync(temporary, { recursive: true, force: true }),
  };
};
