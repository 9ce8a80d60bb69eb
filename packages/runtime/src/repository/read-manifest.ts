import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "@tritype/manifest";
import { runtimeError } from "../errors.ts";

/**
 * The manifest of the build that the repository belongs to: the `manifest.json` next to it. Undefined if there is none,
 * or if the file was not written by a build of tritype.
 * @throws PipelineError `repository/invalid` for a manifest that is broken or newer than this program.
 */
export const readManifest = async (repository: string): Promise<Manifest | undefined> => {
  const path = join(repository, "..", "manifest.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const json = parse(text);
  if (!isOurs(json)) return undefined;
  // The schema library takes 50 ms to load; it is skipped for repositories without a manifest.
  const { manifestFormatVersion, manifestSchema } = await import("@tritype/manifest");
  if (json.formatVersion > manifestFormatVersion)
    throw runtimeError("manifest/newer", { path, found: json.formatVersion, newest: manifestFormatVersion });
  const read = manifestSchema.safeParse(json);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw runtimeError("manifest/broken", {
    path,
    field: issue?.path.join(".") ?? "",
    why: issue?.message ?? "",
  });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Web projects have a `manifest.json` too. */
const isOurs = (json: unknown): json is { readonly formatVersion: number } =>
  typeof json === "object" &&
  json !== null &&
  "formatVersion" in json &&
  typeof json.formatVersion === "number" &&
  "loadOrder" in json;
