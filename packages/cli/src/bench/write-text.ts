import { accessSync, constants, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { notWritable } from "@tritype/core";
import { writeWhole } from "@tritype/wheels";
import { shownPath } from "../shown-path.ts";
import type { Terminal } from "../terminal.ts";

/** Writes a file that an option names. @throws PipelineError `file/not-writable` */
export const writeText = (terminal: Terminal, path: string, text: string): void => {
  const shown = atPath(terminal, path, (full) => writeWhole(full, text));
  terminal.note(`wrote ${shown}`);
};

/**
 * Checks before a long measurement that `writeText` can write its results.
 * @param paths The values of options.
 * @throws PipelineError `file/not-writable`
 */
export const refuseUnwritable = (
  terminal: Pick<Terminal, "cwd">,
  ...paths: readonly (string | undefined)[]
): void => {
  for (const path of paths) if (path !== undefined) atPath(terminal, path, tryAccess);
};

/** Returns the path as it is shown. */
const atPath = ({ cwd }: Pick<Terminal, "cwd">, path: string, use: (full: string) => void): string => {
  const full = resolve(cwd, path);
  const shown = shownPath(cwd, full);
  try {
    use(full);
  } catch (error) {
    throw notWritable(shown, error, "name another file");
  }
  return shown;
};

/** @throws the file system's error for what `writeWhole` cannot write */
const tryAccess = (path: string): void => {
  const there = statSync(path, { throwIfNoEntry: false });
  // For a folder, this throws EISDIR.
  if (there?.isDirectory() === true) openSync(path, "r+");
  // A file that exists can also be written in place.
  if (there === undefined) accessSync(`${dirname(path)}/`, constants.W_OK);
};
