import { accessSync, closeSync, constants, openSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { generalError, notReadable, notWritable } from "@tritype/core";
import type { Command, Given, OptionSpec } from "./command.ts";
import { shownPath } from "./shown-path.ts";

/**
 * Checks the paths that options name, before a command builds or measures anything.
 * @throws PipelineError `file/not-found`, `file/not-readable`, `file/not-writable`
 */
export const checkPaths = ({ options }: Command, given: Given, cwd: string): void => {
  for (const [name, { path: kind }] of Object.entries(options)) {
    const path = given.text(name);
    if (path === undefined || kind === undefined) continue;
    if (kind === "output") refuseUnwritable(`--${name}`, path, cwd);
    else refuseUnreadable(kind, `--${name}`, path, cwd);
  }
};

/** @param option The start of the error message. */
export const refuseUnreadable = (
  kind: Exclude<OptionSpec["path"], "output" | undefined>,
  option: string,
  path: string,
  cwd: string,
): void => {
  const shown = `${option}: the ${kind} ${path}`;
  const full = resolve(cwd, path);
  try {
    accessSync(full, constants.R_OK);
    const isFolder = statSync(full).isDirectory();
    if (isFolder === (kind === "folder")) return;
  } catch (error) {
    throw notReadable(shown, error, "check its permissions");
  }
  const [why, help] =
    kind === "folder"
      ? ["it is a file", `name its folder with ${option}`]
      : ["it is a folder", "name a file"];
  throw generalError("file/not-readable", { path: shown, why }, { help });
};

const refuseUnwritable = (option: string, path: string, cwd: string): void => {
  const full = resolve(cwd, path);
  try {
    const there = statSync(full, { throwIfNoEntry: false });
    // For a folder, this throws EISDIR.
    if (there?.isDirectory() === true) closeSync(openSync(full, "r+"));
    // A file that exists can also be written in place.
    if (there === undefined) accessSync(`${dirname(full)}/`, constants.W_OK);
  } catch (error) {
    throw notWritable(shownPath(cwd, full), error, `name another file with ${option}`);
  }
};
