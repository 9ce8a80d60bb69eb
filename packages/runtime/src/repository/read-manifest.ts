import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "@tritype/manifest";
import { runtimeError } from "../errors.ts";

/**
 * The manifest of the build that the repository belongs to: the `manifest.json` next to it. Undefined if there is none,
 * or if the file was not written by a build of tritype.
 * @throws PipelineError `repository/invalid` for a manifest that is broken or newer than this program.
 */
export const readRepositoryManifest = async (repository: string): Promise<Manifest | undefined> => {
  const path = join(repository, "..", "manifest.json");
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // The schema library takes 50 ms to load; it is skipped for repositories without a manifest.
  const { manifestFormatVersion, parseManifest } = await import("@tritype/manifest");
  const read = parseManifest(text);
  if (read.kind === "foreign") return undefined;
  if (read.kind === "manifest") return read.manifest;
  if (read.kind === "newer")
    throw runtimeError("manifest/newer", { path, found: read.found, newest: manifestFormatVersion });
  const [issue] = read.error.issues;
  throw runtimeError("manifest/broken", {
    path,
    field: issue?.path.join(".") ?? "",
    why: issue?.message ?? "",
  });
};
