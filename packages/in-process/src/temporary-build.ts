import { lstatSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeBuild } from "@tritype/project";
import { hasEnded, processMark, temporaryFolder } from "@tritype/wheels";
import type { Tree } from "@tritype/compiler";

/** A build in a temporary folder, kept as long as this process needs it. */
export interface TemporaryBuild {
  readonly repository: string;
  remove(): void;
}

const prefix = "tritype-run-";
let isFirst = true;

/** Writes a build to the system's temporary folder; it is removed when the process exits, at the latest. */
export const writeTemporaryBuild = (tree: Tree): TemporaryBuild => {
  if (isFirst) removeOrphans();
  isFirst = false;
  const { path, remove } = temporaryFolder(`${prefix}${process.pid}-${processMark}-`);
  writeBuild(path, tree);
  return { repository: join(path, "model_repository"), remove };
};

/** Removes the folders left behind by killed processes. */
const removeOrphans = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, mark] = new RegExp(`^${prefix}(\\d+)-(?:(\\w+\\.\\w+\\.-?\\d+)-)?`).exec(name) ?? [];
    if (pid === undefined || !hasEnded(Number(pid), mark)) continue;
    const path = join(tmpdir(), name);
    try {
      // While another user's folder is deleted, its owner could replace a part of it by a link to ours.
      if (process.geteuid === undefined || lstatSync(path).uid === process.geteuid())
        rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process may have deleted it.
    }
  }
};
