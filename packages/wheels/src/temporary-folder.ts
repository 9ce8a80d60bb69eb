import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder {
  /** Its real path: macOS's temporary folder is a link, and Node knows modules and permissions by real paths. */
  readonly path: string;
  /** From now on, a signal ends the process at once, and the folder remains. For code that may never return. */
  release(): void;
  remove(): void;
}

const folders = new Set<string>();
/** The folders that are removed before a signal ends the process. */
const awaited = new Set<string>();
const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Creates a folder for temporary files; it is removed when the process exits or a signal ends it, at the latest. */
export const temporaryFolder = (prefix: string, parent: string = tmpdir()): TemporaryFolder => {
  const path = realpathSync(mkdtempSync(join(parent, prefix)));
  if (folders.size === 0) process.on("exit", removeAll);
  // Before other listeners, which may remove themselves when they run.
  if (awaited.size === 0) for (const signal of signals) process.prependListener(signal, removeAndEnd);
  folders.add(path);
  awaited.add(path);
  return { path, release: () => release(path), remove: () => remove(path) };
};

const release = (path: string): void => {
  if (awaited.delete(path) && awaited.size === 0)
    for (const signal of signals) process.off(signal, removeAndEnd);
};

const remove = (path: string): void => {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Windows cannot delete open files; this is tried again when the process exits.
    return;
  }
  release(path);
  if (folders.delete(path) && folders.size === 0) process.off("exit", removeAll);
};

const removeAll = (): void => {
  for (const path of folders) remove(path);
};

const mark = Symbol.for("tritype.removeAndEnd");

/** Exit handlers do not run when a signal ends the process. If others listen for the signal, they decide what to do. */
const removeAndEnd = Object.assign(
  (signal: NodeJS.Signals): void => {
    // Another copy of this module may be in the process.
    if (process.listeners(signal).some((listener) => !(mark in listener))) return;
    removeAll();
    process.off(signal, removeAndEnd);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  },
  { [mark]: true },
);
