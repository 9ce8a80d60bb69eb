import {
  chmodSync,
  closeSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";

/**
 * Writes a file completely or not at all: the old content stays if the disk is full. Links are followed. Devices, and
 * files in folders that accept no new files, are written in place.
 * @throws the file system's error
 */
export const writeWhole = (path: string, content: string | Uint8Array): void => {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile()) {
    writeFileSync(path, content);
    return;
  }
  const target = there === undefined ? path : realpathSync(path);
  const staged = `${target}.${process.pid}.part`;
  try {
    // In a shared folder, a link with this name could be another user's.
    rmSync(staged, { force: true });
    writeFileSync(staged, content, { flag: "wx" });
    if (there !== undefined) chmodSync(staged, there.mode);
    renameSync(staged, target);
  } catch (error) {
    rmSync(staged, { force: true });
    if (there === undefined || !forbidden.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
    writeFileSync(target, content);
  }
};

const forbidden: ReadonlySet<string> = new Set(["EACCES", "EPERM"]);

/**
 * Writes a new file, completely or not at all.
 * @throws the file system's error, including EEXIST
 */
export const writeNew = (path: string, content: string | Uint8Array): void => {
  const file = openSync(path, "wx");
  try {
    writeFileSync(file, content);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
};
