import { readFile } from "node:fs/promises";
import { getSystemErrorMap } from "node:util";
import { foreignError } from "@tritype/core";

/**
 * A file that a model's configuration names relative to a folder. The operating system resolves the path, as for Triton:
 * `path.join` would drop a part before ".." that does not exist.
 * @throws PipelineError `model/failed` with Triton's message.
 */
export const readNamedFile = async (folder: string, file: string): Promise<Uint8Array> => {
  const path = `${folder}/${file.replace(/^\/+/, "")}`;
  try {
    return new Uint8Array(await readFile(path));
  } catch (cause) {
    const [, why = "unknown error"] = getSystemErrorMap().get((cause as { errno?: number }).errno ?? 0) ?? [];
    const reason = `${why.charAt(0).toUpperCase()}${why.slice(1)}`;
    throw foreignError("model/failed", `failed to open text file for read ${path}: ${reason}`, {
      cause,
    });
  }
};
