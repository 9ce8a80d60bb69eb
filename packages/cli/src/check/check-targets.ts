import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { MountedRepository } from "@tritype/check";
import { PipelineError } from "@tritype/core";
import { usage } from "../command.ts";
import { shownPath } from "../shown-path.ts";
import { createRepositoryHost } from "./node-repository-host.ts";

/** What a check is about. Paths in messages are as people write them where they stand. */
export interface CheckTargets {
  /** Judged together, as one server loads them. */
  readonly repositories: readonly MountedRepository[];
  /** Paths of configurations, each judged alone. */
  readonly configs: readonly string[];
}

/**
 * Sorts the arguments into repositories and configurations.
 * @throws PipelineError `file/not-found`, `file/not-readable`, or `usage/invalid` for a folder that holds no models.
 */
export const checkTargets = (paths: readonly string[], cwd: string): CheckTargets => {
  const repositories: MountedRepository[] = [];
  const configs: string[] = [];
  for (const path of new Set(paths)) {
    const absolute = resolve(cwd, path);
    const shown = shownPath(cwd, absolute).split(sep).join("/");
    if (isFolder(absolute, shown)) repositories.push(repositoryAt(absolute, shown));
    else configs.push(shown);
  }
  return { repositories, configs };
};

const isFolder = (absolute: string, shown: string): boolean => {
  try {
    const stat = statSync(absolute);
    if (!stat.isDirectory() && !stat.isFile()) throw notReadable(shown, "it is neither folder nor file");
    return stat.isDirectory();
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new PipelineError("file/not-found", `there is no folder and no file ${shown}`, {
        cause: error,
        help: "name a model repository, or a config.pbtxt",
      });
    throw notReadable(shown, code === "ELOOP" ? "its links run in a circle" : code || message, error);
  }
};

const notReadable = (shown: string, why: string, cause?: unknown): PipelineError =>
  new PipelineError("file/not-readable", `cannot read ${shown}: ${why}`, { cause });

const repositoryAt = (absolute: string, shown: string): MountedRepository => {
  const host = createRepositoryHost(absolute);
  const entries = host.list("");
  if (entries === undefined) throw notReadable(shown, "it cannot be listed");
  const has = (name: string): boolean => entries.some((entry) => entry.name === name);
  const prefix = shown === "." ? "" : shown.endsWith("/") ? shown : `${shown}/`;
  if (has("config.pbtxt"))
    throw usage(
      `${shown} is the folder of one model, not a model repository`,
      `name the folder it lies in, or ${prefix}config.pbtxt alone`,
    );
  if (has("manifest.json") && has("model_repository"))
    throw usage(`${shown} is a build, not a model repository`, `did you mean ${prefix}model_repository?`);
  return { host, prefix };
};
