import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PipelineError } from "@tritype/core";
import { staysBelow } from "@tritype/hub";
import { z } from "zod";
import { projectError } from "../errors.ts";

/**
 * The files from `pipeline add`, so that another machine gets the same bytes. The lock file is next to
 * `pipeline.config.ts` and belongs in git.
 */
export const lockName = "pipeline.lock.json";

/** A file that was downloaded or copied. */
export interface LockedFile {
  /** Path in the source. */
  readonly from: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
  /** The git blob id, by which the hub identifies files that are not in LFS. */
  readonly gitBlob?: string | undefined;
}

/** A model that was added. */
export interface LockedModel {
  /** `hf:owner/name`, or a path from the project's root. */
  readonly source: string;
  /** The requested branch or tag; only for sources on the hub. */
  readonly revision?: string | undefined;
  readonly commit?: string | undefined;
  /** The files, by path in the project. */
  readonly files: Readonly<Record<string, LockedFile>>;
}

/** Models by name. */
export type ModelsLock = Readonly<Record<string, LockedModel>>;

const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const path = z.string().refine(staysBelow);
const file = z.strictObject({
  from: path,
  size: z.int().nonnegative(),
  sha256: hex(64),
  gitBlob: hex(40).optional(),
});
const model = z.strictObject({
  source: z.string(),
  revision: z.string().optional(),
  commit: hex(40).optional(),
  files: z.record(path, file),
});
const schema = z.strictObject({ formatVersion: z.literal(1), models: z.record(z.string(), model) });

/** The content of the project's lock file; empty without one. @throws PipelineError `file/not-readable` */
export const readLock = (root: string): ModelsLock => {
  const at = join(root, lockName);
  if (!existsSync(at)) return {};
  const unreadable = (why: string, cause?: unknown): PipelineError =>
    projectError("lock/not-readable", { file: lockName, why }, { cause });
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(at, "utf8"));
  } catch (error) {
    throw unreadable((error as Error).message, error);
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data.models;
  const version = (json as { readonly formatVersion?: unknown } | null)?.formatVersion;
  if (typeof version === "number" && version > 1)
    throw projectError("lock/newer", { file: lockName, version });
  const [issue] = parsed.error.issues;
  throw unreadable(`\`${issue?.path.join(".") ?? ""}\` is wrong: ${issue?.message ?? ""}`);
};

/** The text of a lock file; equal for equal models. */
export const printLock = (models: ModelsLock): string => {
  const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const entries = Object.entries(sorted(models)).map(([name, { source, revision, commit, files }]) => [
    name,
    { source, revision, commit, files: sorted(files) },
  ]);
  return `${JSON.stringify({ formatVersion: 1, models: Object.fromEntries(entries) }, null, 2)}\n`;
};
