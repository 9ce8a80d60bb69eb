import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeBuild } from "@tritype/project";
import type { Tree } from "@tritype/compiler";

/** A build in a temporary folder, kept as long as this process needs it. */
export interface TemporaryBuild {
  readonly repository: string;
  remove(): void;
}

const prefix = "tritype-run-";
const folders = new Set<string>();
const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
let watching = false;

/** Writes a build to the system's temporary folder; it is removed when the process exits, at the latest. */
export const writeTemporaryBuild = (tree: Tree): TemporaryBuild => {
  if (!watching) {
    watching = true;
    removeOrphans();
    process.once("exit", removeAll);
    for (const signal of signals) process.on(signal, removeAndEnd);
  }
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  folders.add(folder);
  writeBuild(folder, tree);
  return { repository: join(folder, "model_repository"), remove: () => remove(folder) };
};

const remove = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true });
    folders.delete(folder);
  } catch {
    // Windows cannot delete open files; the next process that uses this package tries again.
  }
};

const removeAll = (): void => {
  for (const folder of folders) remove(folder);
};

/** Exit handlers do not run when a signal ends the process. If there are other listeners, they decide what to do. */
const removeAndEnd = (signal: NodeJS.Signals): void => {
  if (process.listenerCount(signal) > 1) return;
  removeAll();
  process.off(signal, removeAndEnd);
  process.kill(process.pid, signal);
};

/** Removes the folders left behind by killed processes. */
const removeOrphans = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && hasDied(Number(pid))) remove(join(tmpdir(), name));
  }
};

const hasDied = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
};
