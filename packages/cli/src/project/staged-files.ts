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
import { dirname, join } from "node:path";
import { makeFolders } from "../make-folders.ts";

const prefix = ".staging-";
const journalName = "journal.json";

/** What a commit is about to do; while it lies in the staging folder, the commit can be undone. */
interface Journal {
  /** Paths that get new content, in order. */
  readonly placed: readonly string[];
  readonly deleted: readonly string[];
}

/** A folder inside the build folder, beside the repository: on its filesystem, and never served as a model. */
export const openStaging = (folder: string): string => mkdtempSync(join(folder, prefix));

/** Where a file is staged before the commit. */
export const stagedPath = (staging: string, path: string): string => join(staging, "new", path);

/**
 * Renames the staged files into place and deletes others, all or nothing: what it replaces or deletes is kept until the end, and put
 * back when a rename fails.
 */
export const commitStaged = (folder: string, staging: string, journal: Journal): void => {
  writeFileSync(join(staging, journalName), JSON.stringify(journal));
  const makeFolder = createFolderMaker();
  try {
    for (const path of [...journal.placed, ...journal.deleted])
      if (existsSync(join(folder, path))) keep(join(folder, path), join(staging, "old", path));
    for (const path of journal.deleted) rmSync(join(folder, path), { force: true });
    for (const path of journal.placed) move(stagedPath(staging, path), join(folder, path), makeFolder);
  } catch (error) {
    undo(folder, staging);
    throw error;
  }
  rmSync(join(staging, journalName));
  for (const path of journal.deleted) {
    // What a server's Python cached of the file would keep the model's folder, and Triton fails on one without a config.
    if (path.endsWith(".py"))
      rmSync(join(folder, dirname(path), "__pycache__"), { recursive: true, force: true });
    removeEmptyFolders(folder, dirname(path));
  }
};

/** Clears away what builds that were killed left behind: undoes half a commit, deletes staged files. */
export const recoverStaged = (folder: string): void => {
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith(prefix))) {
    undo(folder, join(folder, name));
    rmSync(join(folder, name), { recursive: true, force: true });
  }
};

/** Each step of the commit may have happened, or not. */
const undo = (folder: string, staging: string): void => {
  const journal = readJournal(staging);
  if (journal === undefined) return;
  for (const path of [...journal.placed, ...journal.deleted].toReversed()) {
    const old = join(staging, "old", path);
    if (existsSync(old)) move(old, join(folder, path), createFolderMaker());
    else {
      const placed = journal.placed.includes(path) && !existsSync(stagedPath(staging, path));
      if (placed) rmSync(join(folder, path), { force: true });
      removeEmptyFolders(folder, dirname(path));
    }
  }
  rmSync(join(staging, journalName));
};

/** A journal that was cut off was written before anything moved. */
const readJournal = (staging: string): Journal | undefined => {
  try {
    return JSON.parse(readFileSync(join(staging, journalName), "utf8")) as Journal;
  } catch {
    return undefined;
  }
};

/** A second name for the file, so that a rename over the first is never seen half done. */
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

/** Makes each folder once: a build of a thousand models asks for the same ones again and again. */
export const createFolderMaker = (): ((folder: string) => void) => {
  const made = new Set<string>();
  return (folder) => {
    if (made.has(folder)) return;
    makeFolders(folder);
    made.add(folder);
  };
};

const removeEmptyFolders = (folder: string, path: string): void => {
  if (path === "." || path === "") return;
  const absolute = join(folder, path);
  if (existsSync(absolute)) {
    if (readdirSync(absolute).length > 0) return;
    rmdirSync(absolute);
  }
  removeEmptyFolders(folder, dirname(path));
};
