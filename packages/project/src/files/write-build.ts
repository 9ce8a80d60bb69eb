import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import {
  type AppendOptions,
  fileBytes,
  fileSize,
  hashFile,
  type Tree,
  type TreeFile,
} from "@tritype/compiler";
import { type Manifest, manifestFormatVersion, parseManifest } from "@tritype/manifest";
import { attempt, notWritable, PipelineError } from "@tritype/core";
import { makeFolders } from "@tritype/wheels";
import { whileLocked } from "./build-lock.ts";
import { type Exists, existingIn } from "./existing-in.ts";
import { fileOnDisk } from "./file-on-disk.ts";
import { filesBelow } from "./files-below.ts";
import { hashOnce } from "./large-file.ts";
import {
  blamedPath,
  closeStaging,
  commitStaged,
  createFolderMaker,
  hasStaged,
  openStaging,
  parentsOf,
  recoverStaged,
  stagedPath,
} from "./staged-files.ts";
import { writeTreeFile } from "./write-tree-file.ts";
import { projectError } from "../errors.ts";

/** The changes that writing a build made to the folder. */
export interface WrittenBuild {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: number;
  readonly leftovers: readonly string[];
  /** The manifest of the build that was in the folder. */
  readonly previous: Manifest | undefined;
}

/** Runs work that must not be interrupted. */
export type Commit = (work: () => void) => void;

const manifestName = "manifest.json";

/** The differences between a build folder and a tree, as paths relative to the folder. */
export interface BuildDifference {
  readonly missing: readonly string[];
  readonly changed: readonly string[];
  /** Files of an earlier build that this one does not create. */
  readonly stale: readonly string[];
  /** A file of the user, or the folder if it is empty, for each folder in the repository that has no config.pbtxt. */
  readonly leftovers: readonly string[];
}

/** Compares without writing, for `build --check`. @throws PipelineError `file/foreign`, as `writeBuild` does */
export const compareBuild = (folder: string, tree: Tree): BuildDifference => {
  const missing: string[] = [];
  const changed: string[] = [];
  const exists = existingIn(folder);
  const owned = filesOf(readManifest(folder));
  refuseForeign(folder, tree, owned, exists);
  for (const [path, file] of tree)
    if (!exists(path)) missing.push(path);
    else if (!isSame(join(folder, path), file)) changed.push(path);
  const shown = (paths: readonly string[]): readonly string[] =>
    paths.toSorted((a, b) => manifestLast(a, b) || (a < b ? -1 : 1));
  const stale = staleFiles(tree, owned, exists);
  return {
    missing: shown(missing),
    changed: shown(changed),
    stale: shown(stale),
    leftovers: foldersWithoutConfig(folder, tree, stale),
  };
};

/** Triton does not start if a folder in the repository has no config.pbtxt, for example that of a renamed step. */
const foldersWithoutConfig = (folder: string, tree: Tree, deleted: readonly string[]): readonly string[] => {
  const gone = new Set(deleted);
  const repository = join(folder, "model_repository");
  const entries = existsSync(repository) ? readdirSync(repository, { withFileTypes: true }) : [];
  return entries.flatMap((entry) => {
    const model = `model_repository/${entry.name}`;
    const config = `${model}/config.pbtxt`;
    if (!entry.isDirectory() || tree.has(config)) return [];
    const files = filesBelow(join(folder, model))
      .map((path) => `${model}/${path}`)
      .filter((path) => !posix.dirname(path).endsWith("__pycache__"));
    const kept = files.filter((path) => !gone.has(path));
    // A folder from which a build deletes all files is deleted, too.
    const isDeleted = kept.length === 0 && files.length > 0;
    return isDeleted || kept.includes(config) ? [] : [kept[0] ?? model];
  });
};

/**
 * Writes the tree. Changed files are staged next to the repository on the same filesystem and then renamed into place,
 * the manifest last. Stale files of the last build are deleted. Files that no build owns are never touched. If it
 * fails, the folder is unchanged; if the process is killed during the renames, the next build first restores the
 * previous content. Only one build at a time writes to the folder. A folder that cannot be written may already contain
 * the tree.
 * @param append The build to which the tree appends versions; it must still exist.
 * @param commit Runs the renames. Default: signals wait for them, which only works in the main thread.
 * @throws PipelineError `file/foreign`, `file/not-writable`
 */
export const writeBuild = (
  folder: string,
  tree: Tree,
  append?: AppendOptions,
  commit: Commit = undisturbed,
): WrittenBuild => {
  try {
    makeFolders(folder);
    return whileLocked(folder, () => {
      recoverStaged(folder);
      const found = readManifest(folder);
      if (append !== undefined) refuseOvertaken(folder, tree, found, append);
      return writeChanges(folder, tree, found, commit);
    });
  } catch (error) {
    const current = PipelineError.is(error) ? undefined : unchangedBuild(folder, tree);
    if (current !== undefined) return current;
    throw notWritable(
      blamedPath(folder, error),
      error,
      "check its permissions, its folder's permissions and the free space, or set a different `output` in pipeline.config.ts",
    );
  }
};

/** undefined if the folder has to be written. */
const unchangedBuild = (folder: string, tree: Tree): WrittenBuild | undefined =>
  attempt(() => {
    const { missing, changed, stale, leftovers } = compareBuild(folder, tree);
    if (hasStaged(folder) || missing.length + changed.length + stale.length > 0) return undefined;
    return { written: [], deleted: [], unchanged: tree.size, leftovers, previous: readManifest(folder) };
  });

/** Two builds that append at the same time would give the same number to two versions. */
const refuseOvertaken = (
  folder: string,
  tree: Tree,
  found: Manifest | undefined,
  { previous }: AppendOptions,
): void => {
  if (JSON.stringify(found) === JSON.stringify(previous?.manifest)) return;
  const own = tree.get(manifestName);
  if (own !== undefined && isSame(join(folder, manifestName), own)) return;
  throw projectError("build/changed-meanwhile", { folder });
};

const writeChanges = (
  folder: string,
  tree: Tree,
  previous: Manifest | undefined,
  commit: Commit,
): WrittenBuild => {
  const owned = filesOf(previous);
  const exists = existingIn(folder);
  refuseForeign(folder, tree, owned, exists);
  const written = [...tree]
    .filter(([path, file]) => !exists(path) || !isSame(join(folder, path), file))
    .map(([path]) => path)
    .toSorted(manifestLast);
  const deleted = staleFiles(tree, owned, exists);
  const unchanged = tree.size - written.length;
  const leftovers = foldersWithoutConfig(folder, tree, deleted);
  if (written.length + deleted.length === 0) return { written, deleted, unchanged, leftovers, previous };
  const staging = openStaging(folder);
  try {
    const makeFolder = createFolderMaker();
    for (const path of written) {
      const file = tree.get(path);
      if (file === undefined) continue;
      makeFolder(dirname(stagedPath(staging, path)));
      writeTreeFile(stagedPath(staging, path), file);
    }
    commit(() => commitStaged(folder, staging, { placed: written, deleted }));
  } finally {
    closeStaging(staging);
  }
  return { written, deleted, unchanged, leftovers, previous };
};

/** Ctrl-C waits until the work is done, and then terminates the process. */
const undisturbed: Commit = (work) => {
  const end = (signal: NodeJS.Signals): void => {
    release();
    process.kill(process.pid, signal);
  };
  const release = (): void => void process.off("SIGINT", end).off("SIGTERM", end);
  process.on("SIGINT", end).on("SIGTERM", end);
  try {
    work();
  } finally {
    // Signals that arrived in the meantime are delivered in the next turn of the event loop.
    setTimeout(release, 50).unref();
  }
};

const manifestLast = (a: string, b: string): number =>
  Number(a === manifestName) - Number(b === manifestName);

/** Larger files are compared by their hashes, some of which are already known. */
const comparedWhole = 2 ** 22;

/** Whether the file exists with this content. */
const isSame = (path: string, file: TreeFile): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size !== fileSize(file)) return false;
  return file.kind === "large-copy" || found.size > comparedWhole
    ? fileOnDisk(path)?.sha256() === hashFile(file, { sha256: hashOnce })
    : readFileSync(path).equals(fileBytes(file));
};

/**
 * The manifest of the build in the folder; undefined if there is none.
 * @throws PipelineError `file/foreign` if it was written by another tool or by a newer tritype.
 */
export const readManifest = (folder: string): Manifest | undefined => {
  const path = join(folder, manifestName);
  if (!existsSync(path)) return undefined;
  const read = parseManifest(readFileSync(path, "utf8"));
  if (read.kind === "manifest") return read.manifest;
  if (read.kind === "newer")
    throw projectError("build/newer-manifest", { path, found: read.found, newest: manifestFormatVersion });
  throw projectError("build/not-a-manifest", { path }, read.kind === "broken" ? { cause: read.error } : {});
};

/** The same, but if the folder is not a build, this is reported when a build is written to it. */
export const lastManifest = (folder: string): Manifest | undefined => {
  try {
    return readManifest(folder);
  } catch (error) {
    if (PipelineError.is(error)) return undefined;
    throw error;
  }
};

/** The files that a build owns. */
const filesOf = (manifest: Manifest | undefined): ReadonlySet<string> =>
  new Set(manifest === undefined ? [] : [...Object.keys(manifest.files), manifestName]);

const staleFiles = (tree: Tree, owned: ReadonlySet<string>, exists: Exists): readonly string[] =>
  [...owned].filter((path) => !tree.has(path) && exists(path));

/**
 * A conflicting file or folder that tritype did not create: one at a path that the build writes, or a folder with the same name as one of
 * its models or versions.
 */
const refuseForeign = (folder: string, tree: Tree, owned: ReadonlySet<string>, exists: Exists): void => {
  /** The first folder of this form that exists, but not because of the last build. */
  const foreignFolder = (beginning: RegExp): string | undefined => {
    const folderOf = (path: string): readonly string[] => beginning.exec(path) ?? [];
    const own = new Set([...owned].flatMap(folderOf));
    return [...tree.keys()].flatMap(folderOf).find((path) => !own.has(path) && exists(path));
  };
  const foreignModel = foreignFolder(/^model_repository\/[^/]+/);
  const foreignVersion = foreignFolder(/^model_repository\/[^/]+\/\d+(?=\/)/);
  const foreignFile = [...tree.keys()].find((path) => !owned.has(path) && exists(path));
  const folders = new Set([...tree.keys()].flatMap(parentsOf));
  const notAFolder = [...folders].find(
    (path) => exists(path) && fileOnDisk(join(folder, path)) !== undefined,
  );
  const foreign = foreignModel ?? foreignVersion ?? foreignFile ?? notAFolder;
  if (foreign === undefined) return;
  const isWithoutManifest = owned.size === 0 && foreign === foreignModel;
  const restored = `if a build wrote it, restore ${join(folder, manifestName)} or delete ${folder}; otherwise build into another folder (\`output\` in pipeline.config.ts)`;
  const former = sameButCase(owned, foreign);
  const renamed = `if it is ${former} of the last build, because the file system ignores case, delete ${folder} and build again`;
  const help = former !== undefined ? renamed : isWithoutManifest ? restored : undefined;
  throw projectError("file/foreign", { path: join(folder, foreign) }, help === undefined ? {} : { help });
};

/** The path in a build that macOS and Windows do not distinguish from `path`. */
const sameButCase = (owned: ReadonlySet<string>, path: string): string | undefined =>
  [...owned]
    .map((file) => file.split("/", path.split("/").length).join("/"))
    .find((other) => other !== path && other.toLowerCase() === path.toLowerCase());
