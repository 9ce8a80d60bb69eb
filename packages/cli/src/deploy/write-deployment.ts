import { hash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, mapDefined, notWritable, PipelineError } from "@tritype/core";
import { staysInside } from "@tritype/manifest";
import { filesBelow, removeEmptyFolders } from "@tritype/project";
import { makeFolders, writeWhole } from "@tritype/wheels";
import { z } from "zod";
import { cliError } from "../errors.ts";

/** The changes that a deployment makes to its folder; paths are relative to it. */
export interface DeploymentChanges {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Files that are no longer needed, but that the user changed. */
  readonly kept: readonly string[];
  /** Files that would be overwritten, but that the user changed. */
  readonly edited: readonly string[];
  /** Files of the user that would be overwritten. */
  readonly foreign: readonly string[];
  /** Files of the user that Helm reads as parts of the chart. */
  readonly others: readonly string[];
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
  files: z.record(z.string().refine(staysInside), z.string()),
});

/** Folders of the chart in which Helm reads every file, except those that start with "." and those in .helmignore. */
const readByHelm = ["chart/charts", "chart/crds", "chart/files", "chart/templates"];
const ignoredByHelm = /\/\.|\.orig$/;

/** Determines the changes that writing would make, without writing anything. */
export const compareDeployment = (folder: string, files: ReadonlyMap<string, string>): DeploymentChanges => {
  const owned = readRecord(folder)?.files ?? {};
  const onDisk = mapDefined([...files.keys(), ...Object.keys(owned)], (path) =>
    hashOnDisk(join(folder, path)),
  );
  const isOurs = (path: string): boolean => !onDisk.has(path) || onDisk.get(path) === owned[path];
  const changed = [...files].flatMap(([path, text]) =>
    onDisk.get(path) === hash("sha256", text) ? [] : [path],
  );
  const stale = Object.keys(owned).filter((path) => !files.has(path) && onDisk.has(path));
  return {
    written: changed.filter(isOurs),
    deleted: stale.filter(isOurs),
    kept: stale.filter((path) => !isOurs(path)),
    edited: changed.filter((path) => !isOurs(path) && owned[path] !== undefined),
    foreign: changed.filter((path) => !isOurs(path) && owned[path] === undefined),
    others: readByHelm
      .filter((below) => attempt(() => statSync(join(folder, below)).isDirectory()) === true)
      .flatMap((below) => filesBelow(join(folder, below)).map((path) => `${below}/${path}`))
      .filter((path) => !files.has(path) && owned[path] === undefined && !ignoredByHelm.test(path))
      .toSorted(),
    unchanged: files.size - changed.length,
  };
};

/**
 * Writes the files that changed and deletes those that are no longer needed; the list of files is written last.
 * @param deployed The SHA-256 of the build's manifest, and the value of `--models`.
 * @throws PipelineError `file/foreign` if a file at one of the paths belongs to the user, or was edited; `file/not-writable`
 */
export const writeDeployment = (
  folder: string,
  files: ReadonlyMap<string, string>,
  deployed: { readonly build: string; readonly models: string | undefined },
): DeploymentChanges => {
  const changes = compareDeployment(folder, files);
  const { foreign, edited } = changes;
  if (foreign.length > 0) throw cliError("deploy/foreign", named(folder, foreign));
  if (edited.length > 0) throw cliError("deploy/edited", named(folder, edited));
  const record = `${JSON.stringify(
    {
      formatVersion,
      ...deployed,
      files: Object.fromEntries([...files].map(([path, text]) => [path, hash("sha256", text)])),
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
    if (hashOnDisk(join(folder, recordName)) !== hash("sha256", record))
      writeWhole(join(folder, recordName), record);
  } catch (error) {
    throw notWritable(
      folder,
      error,
      "check its permissions, or set another `deploy.output` in pipeline.config.ts",
    );
  }
  return changes;
};

/** The text of a file as `pipeline deploy` wrote it; undefined if there is none, or it was edited. */
export const writtenText = (folder: string, path: string): string | undefined => {
  const sha = hashOnDisk(join(folder, path));
  return sha === undefined || sha !== readRecord(folder)?.files[path]
    ? undefined
    : readFileSync(join(folder, path), "utf8");
};

/** The value of `--models` with which the files were written. */
export const deployedModels = (folder: string): string | undefined => readRecord(folder)?.models;

const readRecord = (folder: string): z.infer<typeof recordSchema> | undefined => {
  const path = join(folder, recordName);
  if (!existsSync(path)) return undefined;
  try {
    const json: unknown = JSON.parse(readFileSync(path, "utf8"));
    const found = (json as { readonly formatVersion?: unknown } | null)?.formatVersion;
    if (typeof found === "number" && found > formatVersion)
      throw cliError("deploy/newer-record", { path, found, newest: formatVersion });
    return recordSchema.parse(json);
  } catch (error) {
    if (PipelineError.is(error)) throw error;
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

/** Returns "" for anything that is not a file. Git may write other line ends, as on Windows. */
const hashOnDisk = (path: string): string | undefined =>
  !existsSync(path)
    ? undefined
    : statSync(path).isFile()
      ? hash("sha256", readFileSync(path, "utf8").replaceAll("\r\n", "\n"))
      : "";
