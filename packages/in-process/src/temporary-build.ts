import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { attempt } from "@tritype/core";
import { cacheFolderOf, writeBuild } from "@tritype/project";
import { hasEnded, processMark, temporaryFolder } from "@tritype/wheels";
import type { Tree } from "@tritype/compiler";

/** A build in a temporary folder, kept as long as this process needs it. */
export interface TemporaryBuild {
  readonly repository: string;
  remove(): void;
}

const prefix = "tritype-run-";
const cleaned = new Set<string>();

/** Writes a build to a temporary folder; it is removed when the process exits, at the latest. @param root The project's folder */
export const writeTemporaryBuild = (tree: Tree, root: string): TemporaryBuild => {
  // Node finds packages with native code above a function's file.
  const inProject = tree.has("npm/package.json") ? cacheFolderOf(root) : undefined;
  const { path, remove } = attempt(() => openFolder(inProject ?? tmpdir())) ?? openFolder(tmpdir());
  writeBuild(path, tree);
  return { repository: join(path, "model_repository"), remove };
};

const openFolder = (parent: string): ReturnType<typeof temporaryFolder> => {
  mkdirSync(parent, { recursive: true });
  if (!cleaned.has(parent)) removeOrphans(parent);
  cleaned.add(parent);
  return temporaryFolder(`${prefix}${process.pid}-${processMark}-`, parent);
};

/** Removes the folders left behind by killed processes. */
const removeOrphans = (parent: string): void => {
  for (const name of attempt(() => readdirSync(parent)) ?? []) {
    const [, pid, mark] = new RegExp(`^${prefix}(\\d+)-(?:(\\w+\\.\\w+\\.-?\\d+)-)?`).exec(name) ?? [];
    if (pid === undefined || !hasEnded(Number(pid), mark)) continue;
    const path = join(parent, name);
    try {
      // While another user's folder is deleted, its owner could replace a part of it by a link to ours.
      if (process.geteuid === undefined || lstatSync(path).uid === process.geteuid())
        rmSync(path, { recursive: true, force: true });
    } catch {
      // Another process may have deleted it.
    }
  }
};
