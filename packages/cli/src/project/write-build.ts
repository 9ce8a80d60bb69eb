import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Manifest, manifestSchema, type Tree, type TreeFile } from "@tritype/compiler";
import { encodeUtf8, PipelineError } from "@tritype/core";

/** What writing a build did to the folder. */
export interface WrittenBuild {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  readonly unchanged: number;
}

const manifestName = "manifest.json";

/** How a build folder differs from a tree: paths relative to it. */
export interface BuildDifference {
  readonly missing: readonly string[];
  readonly changed: readonly string[];
  /** Files an earlier build owns that this one does not make. */
  readonly stale: readonly string[];
}

/** Compares without writing, for `build --check`. */
export const compareBuild = (folder: string, tree: Tree): BuildDifference => {
  const missing: string[] = [];
  const changed: string[] = [];
  for (const [path, file] of tree) {
    const state = stateOf(join(folder, path), file);
    if (state === "missing") missing.push(path);
    if (state === "changed") changed.push(path);
  }
  return { missing, changed, stale: staleFiles(folder, tree) };
};

/**
 * Writes the tree: changed files are staged beside the repository on the same filesystem and then renamed into place, stale files
 * of the last build deleted, the manifest renamed last. Files that no build owns are never touched. When it fails before the
 * renames the folder is as it was.
 * @throws PipelineError `file/foreign`, `file/not-writable`
 */
export const writeBuild = (folder: string, tree: Tree): WrittenBuild => {
  const owned = ownedFiles(folder);
  const changed = [...tree].filter(([path, file]) => stateOf(join(folder, path), file) !== "same");
  refuseForeign(folder, tree, owned);
  const stale = staleFiles(folder, tree);
  let staging: string | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    staging = mkdtempSync(join(folder, ".staging-"));
    for (const [path, file] of changed) writeFile(join(staging, path), file);
    commit(
      folder,
      staging,
      changed.map(([path]) => path),
      stale,
    );
  } catch (error) {
    throw PipelineError.is(error) ? error : notWritable(folder, error);
  } finally {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
  }
  return { written: changed.map(([path]) => path), deleted: stale, unchanged: tree.size - changed.length };
};

/** Renames only; Ctrl-C waits until they are done. */
const commit = (
  folder: string,
  staging: string,
  changed: readonly string[],
  stale: readonly string[],
): void => {
  const wait = (): void => undefined;
  process.on("SIGINT", wait).on("SIGTERM", wait);
  try {
    for (const path of changed.toSorted(manifestLast)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      renameSync(join(staging, path), join(folder, path));
    }
    for (const path of stale) rmSync(join(folder, path), { force: true });
    for (const path of stale) removeEmptyFolders(folder, dirname(path));
  } finally {
    process.off("SIGINT", wait).off("SIGTERM", wait);
  }
};

const manifestLast = (a: string, b: string): number =>
  Number(a === manifestName) - Number(b === manifestName);

const removeEmptyFolders = (folder: string, path: string): void => {
  if (path === "." || path === "") return;
  const absolute = join(folder, path);
  if (!existsSync(absolute) || readdirSync(absolute).length > 0) return;
  rmdirSync(absolute);
  removeEmptyFolders(folder, dirname(path));
};

const writeFile = (path: string, file: TreeFile): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytesOf(file));
};

const bytesOf = (file: TreeFile): Uint8Array => (file.kind === "text" ? encodeUtf8(file.text) : file.bytes);
const hash = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const stateOf = (path: string, file: TreeFile): "missing" | "changed" | "same" => {
  const bytes = bytesOf(file);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return "missing";
  return size === bytes.byteLength && hash(readFileSync(path)) === hash(bytes) ? "same" : "changed";
};

/** The manifest of the build that lies in the folder; undefined when there is none. @throws PipelineError `file/foreign` */
export const readManifest = (folder: string): Manifest | undefined => {
  const path = join(folder, manifestName);
  if (!existsSync(path)) return undefined;
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new PipelineError(
      "file/foreign",
      `${path} is not a manifest that this version of tritype can read`,
      {
        cause: error,
        help: "build into another folder (`output` in pipeline.config.ts), or delete the folder if you no longer need it",
      },
    );
  }
};

const ownedFiles = (folder: string): ReadonlySet<string> => {
  const manifest = readManifest(folder);
  return new Set(manifest === undefined ? [] : [...Object.keys(manifest.files), manifestName]);
};

const staleFiles = (folder: string, tree: Tree): readonly string[] =>
  [...ownedFiles(folder)].filter((path) => !tree.has(path) && existsSync(join(folder, path)));

/** A file in our way, or a model folder with the name of one of ours, that no build of ours made. */
const refuseForeign = (folder: string, tree: Tree, owned: ReadonlySet<string>): void => {
  const models = new Set(
    [...tree.keys()]
      .filter((path) => path.startsWith("model_repository/"))
      .map((path) => path.split("/", 2).join("/")),
  );
  const ownedModels = new Set([...owned].map((path) => path.split("/", 2).join("/")));
  const foreignModel = [...models].find(
    (model) => !ownedModels.has(model) && existsSync(join(folder, model)),
  );
  const foreignFile = [...tree.keys()].find((path) => !owned.has(path) && existsSync(join(folder, path)));
  const foreign = foreignModel ?? foreignFile;
  if (foreign === undefined) return;
  throw new PipelineError(
    "file/foreign",
    `${join(folder, foreign)} is in the way, and no build of tritype made it`,
    {
      help: "move it away, rename the step, or build into another folder (`output` in pipeline.config.ts)",
    },
  );
};

const notWritable = (folder: string, error: unknown): PipelineError =>
  new PipelineError(
    "file/not-writable",
    `cannot write to ${folder}: ${(error as NodeJS.ErrnoException).code ?? String(error)}`,
    {
      cause: error,
      help: "check the folder's permissions and the free space, or set another `output` in pipeline.config.ts",
    },
  );
