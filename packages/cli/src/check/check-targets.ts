import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { configNames, type MountedRepository } from "@tritype/check";
import { didYouMean, generalError, nearHelp, PipelineError } from "@tritype/core";
import { profilesSince, type TritonRelease } from "@tritype/triton";
import { usage } from "../command.ts";
import { shownPath } from "../shown-path.ts";
import { notReadable, repositoryAt } from "./repository-at.ts";

/** The subject of a check. Paths in messages are relative to the current folder. */
export interface CheckTargets {
  /** Repositories, which are checked together, as if one server loaded them. */
  readonly repositories: readonly MountedRepository[];
  /** Paths of configurations; each is checked separately. */
  readonly configs: readonly string[];
}

/**
 * Sorts the arguments into repositories and configurations.
 * @throws PipelineError `file/not-found`, `file/not-readable`, or `usage/invalid` for a folder that contains no models.
 */
export const checkTargets = (paths: readonly string[], cwd: string): CheckTargets => {
  const repositories: MountedRepository[] = [];
  const configs: string[] = [];
  if (paths.includes(""))
    throw usage("a path is empty", "name a model repository or a config.pbtxt; is a shell variable unset?");
  for (const absolute of new Set(paths.map((path) => resolve(cwd, path)))) {
    const shown = shownPath(cwd, absolute).split(sep).join("/");
    if (isFolder(absolute, shown)) repositories.push(repositoryAt(absolute, shown));
    else configs.push(shown);
  }
  return { repositories, configs };
};

const isFolder = (absolute: string, shown: string): boolean => {
  try {
    const stat = statSync(absolute);
    if (!stat.isDirectory() && !stat.isFile()) throw notReadable(shown, "it is neither a folder nor a file");
    return stat.isDirectory();
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw generalError(
        "file/not-found",
        { path: shown },
        { cause: error, help: "name a model repository, or a config.pbtxt" },
      );
    throw notReadable(shown, code === "ELOOP" ? "its links form a cycle" : code || message, error);
  }
};

/**
 * @throws PipelineError `usage/invalid` if no model of the repositories has `configs/<name>.pbtxt`, or if the release
 * does not support selecting it.
 */
export const needConfigName = (
  { repositories }: CheckTargets,
  configName: string,
  { container }: TritonRelease,
): void => {
  if (container < profilesSince)
    throw usage(
      `Triton ${container} has no --model-config-name`,
      `Triton has this option as of ${profilesSince}: check for a later release, or remove the name`,
    );
  const known = new Set(repositories.flatMap(({ host }) => configNames(host)));
  if (repositories.length === 0 || known.has(configName)) return;
  const near = nearHelp(didYouMean(configName, [...known]));
  const silent = "without the file, Triton silently uses config.pbtxt";
  throw usage(
    `no model has the configuration \`${configName}\``,
    near !== undefined
      ? `${near} ${silent}`
      : known.size > 0
        ? `the models have ${[...known].toSorted().join(", ")}; ${silent}`
        : `a model stores it as configs/<name>.pbtxt; ${silent}`,
  );
};
