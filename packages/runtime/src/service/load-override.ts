import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { foreignError, parseExactJson, type PipelineError } from "@tritype/core";
import { type ModelConfig, modelConfigFromJson } from "@tritype/triton";
import { temporaryFolder } from "@tritype/wheels";
import type { LoadedModel } from "../backend.ts";

/** The configuration in a load request. @throws PipelineError `repository/invalid` */
export const readOverriddenConfig = (text: string): ModelConfig => {
  let json: unknown;
  try {
    json = parseExactJson(text);
  } catch (cause) {
    throw refused(`Invalid config override: ${(cause as Error).message}`, cause);
  }
  const read = modelConfigFromJson(json);
  if ("config" in read) return read.config;
  throw refused(`Invalid config override: ${read.problem.message}`);
};

/** Files that replace a model's folder as long as anything in it is served. */
export interface OverrideFolder {
  /** Absolute path. */
  readonly path: string;
  /** A loaded model that keeps the folder until it is closed. */
  keepFor(loaded: LoadedModel): LoadedModel;
  /** The creator no longer needs it. */
  release(): void;
}

/**
 * Writes the files of a load request to a separate folder, which does not outlive the process.
 * @param files The files, by path in the model's folder.
 * @throws PipelineError `repository/invalid` for paths that lead out of it, or through a file.
 */
export const writeOverrideFolder = async (
  files: ReadonlyMap<string, Uint8Array>,
): Promise<OverrideFolder> => {
  const folder = temporaryFolder("tritype-override-");
  const { path } = folder;
  let users = 1;
  const release = (): void => {
    if (--users === 0) folder.remove();
  };
  try {
    for (const [file, bytes] of files) await writeBelow(path, file, bytes);
  } catch (error) {
    release();
    throw error;
  }
  return {
    path,
    release,
    keepFor: (loaded) => {
      users++;
      return {
        ...loaded,
        close: async () => {
          await loaded.close();
          release();
        },
      };
    },
  };
};

const writeBelow = async (folder: string, file: string, bytes: Uint8Array): Promise<void> => {
  const path = join(folder, file);
  if (!path.startsWith(folder + sep) || path.endsWith(sep))
    throw refused(
      `Invalid file parameter 'file:${file}' with normalized path '${path}' must stay within model directory.`,
    );
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  } catch (cause) {
    throw refused(`Invalid file parameter 'file:${file}': ${(cause as Error).message}`, cause);
  }
};

const refused = (text: string, cause?: unknown): PipelineError =>
  foreignError("repository/invalid", text, { cause });
