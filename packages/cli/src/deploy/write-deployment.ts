import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { mapDefined, notWritable } from "@tritype/core";
import { removeEmptyFolders } from "@tritype/project";
import { makeFolders, writeWhole } from "@tritype/wheels";
import { z } from "zod";
import { cliError } from "../errors.ts";

/** The changes that a deployment makes to its folder; paths are relative to it. */
export interface DeploymentChanges {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Files that are no longer needed, but that the user changed. */
  readonly kept: readonly string[];
  readonly unchanged: number;
}

/** Lists the files that `pipeline deploy` wrote. */
const recordName = "deployment.json";
const formatVersion = 1;

const recordSchema = z.object({
  formatVersion: z.literal(formatVersion),
  build: z.string(),
  /** The value of `--models`. */
  models: z.string().optional(),
  /** Path → SHA-256. */
  files: z.record(z.string(), z.string()),
});

/**
 * Determines the changes that writing would make, without writing anything.
 * @throws PipelineError `file/foreign` if a file at one of the paths belongs to the user, or was edited.
 */
export const compareDeployment = (folder: string, files: ReadonlyMap<string, string>): DeploymentChanges => {
  const owned = readRecord(folder)?.files ?? {};
  const onDisk = mapDefined([...files.keys(), ...Object.keys(owned)], (path) =>
    hashOnDisk(join(folder, path)),
  );
  const written = [...files]
    .filter(([path, text]) => onDisk.get(path) !== sha256(text))
    .map(([path]) => path);
  const inTheWay = written.filter((path) => onDisk.has(path) && onDisk.get(path) !== owned[path]);
  const foreign = inTheWay.filter((path) => owned[path] === undefined);
  if (foreign.length > 0) throw cliError("deploy/foreign", named(folder, foreign));
  if (inTheWay.length > 0) throw cliError("deploy/edited", named(folder, inTheWay));
  const stale = Object.keys(owned).filter((path) => !files.has(path) && onDisk.has(path));
  const [deleted, kept] = [true, false].map((ours) =>
    stale.filter((path) => (onDisk.get(path) === owned[path]) === ours),
  );
  return { written, deleted: deleted ?? [], kept: kept ?? [], unchanged: files.size - written.length };
};

/**
 * Writes the files that changed and deletes those that are no longer needed; the list of files is written last.
 * @param deployed The SHA-256 of the build's manifest, and the value of `--models`.
 * @throws PipelineError `file/foreign`, `file/not-writable`
 */
export const writeDeployment = (
  folder: string,
  files: ReadonlyMap<string, string>,
  deployed: { readonly build: string; readonly models: string | undefined },
): DeploymentChanges => {
  const changes = compareDeployment(folder, files);
  const record = `${JSON.stringify(
    {
      formatVersion,
      ...deployed,
      files: Object.fromEntries([...files].map(([path, text]) => [path, sha256(text)])),
    },
    null,
    2,
  )}\n`;
  try {
    for (const path of changes.written) {
      makeFolders(dirname(join(folder, path)));
      writeWhole(join(folder, path), files.get(path) ?? "");
    }
    for (const path of changes.deleted) {
      rmSync(join(folder, path));
      removeEmptyFolders(folder, dirname(path));
    }
    if (hashOnDisk(join(folder, recordName)) !== sha256(record)) writeWhole(join(folder, recordName), record);
  } catch (error) {
    throw notWritable(
      folder,
      error,
      "check its permissions, or set another `deploy.output` in pipeline.config.ts",
    );
  }
  return changes;
};

/** The value of `--models` with which the files were written. */
export const deployedModels = (folder: string): string | undefined => readRecord(folder)?.models;

const readRecord = (folder: string): z.infer<typeof recordSchema> | undefined => {
  const path = join(folder, recordName);
  if (!existsSync(path)) return undefined;
  try {
    return recordSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw cliError("deploy/not-a-record", { path, why: why.split("\n", 1)[0] ?? "" }, { cause: error });
  }
};

const named = (
  folder: string,
  paths: readonly string[],
): { readonly files: string; readonly them: string } => ({
  files: paths.map((path) => join(folder, path)).join(", "),
  them: paths.length === 1 ? "it" : "them",
});

/** Returns "" for anything that is not a file. */
const hashOnDisk = (path: string): string | undefined =>
  !existsSync(path) ? undefined : statSync(path).isFile() ? sha256(readFileSync(path)) : "";

const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
