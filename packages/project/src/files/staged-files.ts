import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { attempt, notWritable, type PipelineError } from "@tritype/core";
import { staysInside } from "@tritype/manifest";
import { makeFolders } from "@tritype/wheels";
import { existingIn } from "./existing-in.ts";
import { filesBelow } from "./files-below.ts";

const prefix = ".staging-";
const journalName = "journal.json";

/** The plan of a commit; while it is in the staging folder, the commit can be undone. */
interface Journal {
  /** Paths whose content is replaced, in this order. */
  readonly placed: readonly string[];
  readonly deleted: readonly string[];
}

/** A folder next to the repository, so that it is on the same file system but is never served as a model. */
export const openStaging = (folder: string): string => mkdtempSync(join(folder, prefix));

/** Deletes the staging folder, unless it contains a commit that the next build must undo. */
export const closeStaging = (staging: string): void => {
  if (readJournal(staging) === undefined) rmSync(staging, { recursive: true, force: true });
};

/** The path in the build to which a file system error refers, or the build folder itself if the error is about our own files in it. */
export const blamedPath = (folder: string, error: unknown): string => {
  const { path, dest } = error as { readonly path?: unknown; readonly dest?: unknown };
  const own = (at: unknown): at is string =>
    typeof at === "string" &&
    at.startsWith(folder + sep) &&
    !/^\.(?:staging-|lock)/.test(relative(folder, at));
  return [dest, path].find(own) ?? folder;
};

/** The path at which a file is staged before the commit. */
export const stagedPath = (staging: string, path: string): string => join(staging, "new", path);

/**
 * Renames the staged files into place and deletes others, all or nothing: replaced and deleted files are kept until the
 * end, and restored if a rename fails. A server that polls the folder never sees half a model or half a version,
 * because each new folder appears, and each removed folder disappears, in a single rename. New files appear before old
 * ones disappear, and the last of `placed` appears last.
 */
export const commitStaged = (folder: string, staging: string, journal: Journal): void => {
  writeFileSync(join(staging, journalName), JSON.stringify(journal));
  const makeFolder = createFolderMaker();
  const place = (path: string): void => move(stagedPath(staging, path), join(folder, path), makeFolder);
  const { placed, deleted } = journal;
  const mark = placed.slice(-1);
  const exists = existingIn(folder);
  try {
    for (const path of [...placed, ...deleted])
      if (exists(path)) keep(join(folder, path), join(staging, "old", path));
    for (const path of deleted)
      if (placed.some((other) => other.startsWith(`${path}/`))) rmSync(join(folder, path), { force: true });
    for (const path of wholeFolders(folder, placed.slice(0, -1), mark)) place(path);
    removeFiles(folder, join(staging, "gone"), deleted);
    for (const path of mark) place(path);
  } catch (error) {
    undo(folder, staging);
    throw error;
  }
  rmSync(join(staging, journalName));
  for (const path of deleted) {
    // A leftover __pycache__ would keep the model's folder from being removed, and Triton fails on a folder without a
    // config.
    if (path.endsWith(".py"))
      rmSync(join(folder, dirname(path), "__pycache__"), { recursive: true, force: true });
    removeEmptyFolders(folder, dirname(path));
  }
};

/** `client/core/kserve.js` → `client`, `client/core`. */
export const parentsOf = (path: string): readonly string[] =>
  path
    .split("/")
    .slice(0, -1)
    .map((_, index, names) => names.slice(0, index + 1).join("/"));

/** The paths, or their outermost folders that do not exist yet. Such a folder must not contain any of `later`. */
const wholeFolders = (
  folder: string,
  paths: readonly string[],
  later: readonly string[],
): readonly string[] => {
  const exists = existingIn(folder);
  const missing = (path: string): string =>
    parentsOf(path).find(
      (above) => !exists(above) && !later.some((other) => other.startsWith(`${above}/`)),
    ) ?? path;
  return [...new Set(paths.map(missing))];
};

/** Deletes files; a folder from `model_repository/m` downwards that would become empty is moved to `gone` first. */
const removeFiles = (folder: string, gone: string, deleted: readonly string[]): void => {
  const all = new Set(deleted);
  const goes = (path: string): boolean =>
    filesBelow(join(folder, path))
      .map((file) => `${path}/${file}`)
      .every((file) => all.has(file) || file.includes("/__pycache__/"));
  for (const path of deleted) {
    const whole = parentsOf(path)
      .slice(1)
      .find((above) => existsSync(join(folder, above)) && goes(above));
    if (whole === undefined) rmSync(join(folder, path), { force: true });
    else move(join(folder, whole), join(gone, whole), makeFolders);
  }
};

/** Whether a build in this folder was killed or is still running. */
export const hasStaged = (folder: string): boolean =>
  readdirSync(folder).some((entry) => entry.startsWith(prefix));

/** Cleans up after killed builds: undoes a partial commit and deletes staged files. */
export const recoverStaged = (folder: string): void => {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
    undo(folder, join(folder, name));
    rmSync(join(folder, name), { recursive: true, force: true });
  }
};

/**
 * Any step of the commit may or may not have happened. Files that were not moved are left unchanged. A file that cannot
 * be restored does not stop the others; in that case, the journal stays for the next build.
 * @throws PipelineError `file/not-writable`
 */
const undo = (folder: string, staging: string): void => {
  const journal = readJournal(staging);
  if (journal === undefined) return;
  const failed: PipelineError[] = [];
  for (const path of [...journal.placed, ...journal.deleted].toReversed())
    try {
      putBack(folder, staging, path, journal);
    } catch (error) {
      failed.push(notWritable(join(folder, path), error, halfWritten));
    }
  if (failed[0] !== undefined) throw failed[0];
  rmSync(join(staging, journalName));
};

const halfWritten =
  "the build is incomplete: make this path writable and build again; the next build first restores the last one";

const putBack = (folder: string, staging: string, path: string, { placed }: Journal): void => {
  const old = join(staging, "old", path);
  const moved = placed.includes(path) && !existsSync(stagedPath(staging, path));
  if (existsSync(old)) {
    if (moved || !existsSync(join(folder, path))) move(old, join(folder, path), createFolderMaker());
    return;
  }
  if (moved) rmSync(join(folder, path), { force: true });
  removeEmptyFolders(folder, dirname(path));
};

/** A truncated journal was written before anything was moved. One that leads out of the folder is not from a build. */
const readJournal = (staging: string): Journal | undefined =>
  attempt(() => {
    const journal = JSON.parse(readFileSync(join(staging, journalName), "utf8")) as Journal;
    return [...journal.placed, ...journal.deleted].every(staysInside) ? journal : undefined;
  });

/** A second name for the file, so that a half-finished rename over the original is never visible. */
const keep = (path: string, kept: string): void => {
  makeFolders(dirname(kept));
  try {
    linkSync(path, kept);
  } catch {
    copyFileSync(path, `${kept}.part`);
    renameSync(`${kept}.part`, kept);
  }
};

const move = (from: string, to: string, makeFolder: (folder: string) => void): void => {
  makeFolder(dirname(to));
  renameSync(from, to);
};

/** Creates each folder only once, because a build with a thousand models requests the same folders repeatedly. */
export const createFolderMaker = (): ((folder: string) => void) => {
  const made = new Set<string>();
  return (folder) => {
    if (made.has(folder)) return;
    makeFolders(folder);
    for (let at = folder; !made.has(at); at = dirname(at)) made.add(at);
  };
};

/** Deletes `path` below `folder` and its parents as long as they are empty. */
export const removeEmptyFolders = (folder: string, path: string): void => {
  if (path === "." || path === "") return;
  const absolute = join(folder, path);
  if (existsSync(absolute)) {
    if (readdirSync(absolute).length > 0) return;
    rmdirSync(absolute);
  }
  removeEmptyFolders(folder, dirname(path));
};
