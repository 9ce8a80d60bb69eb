import type { Entry, MountedRepository, RepositoryHost } from "@tritype/check";
import { generalError, type PipelineError } from "@tritype/core";
import { createRepositoryHost } from "@tritype/runtime/host";
import { usage } from "../command.ts";

/**
 * The model repository in a folder.
 * @param shown The folder as shown in messages.
 * @throws PipelineError `file/not-readable`, or `usage/invalid` for a folder that is something else.
 */
export const repositoryAt = (absolute: string, shown: string): MountedRepository => {
  const host = createRepositoryHost(absolute);
  const entries = host.list("");
  if (entries === undefined) throw notReadable(shown, "it cannot be listed");
  const has = (name: string): boolean => entries.some((entry) => entry.name === name);
  const prefix = shown === "." ? "" : shown.endsWith("/") ? shown : `${shown}/`;
  if (has("config.pbtxt"))
    throw usage(
      `${shown} is the folder of one model, not a model repository`,
      `name its parent folder, or ${prefix}config.pbtxt for only this model`,
    );
  if (has("manifest.json") && has("model_repository"))
    throw usage(`${shown} is a build, not a model repository`, `did you mean ${prefix}model_repository?`);
  needModels(host, entries, shown, prefix);
  return { host, prefix };
};

export const notReadable = (shown: string, why: string, cause?: unknown): PipelineError =>
  generalError("file/not-readable", { path: shown, why }, { cause });

const needModels = (host: RepositoryHost, entries: readonly Entry[], shown: string, prefix: string): void => {
  const folders = entries.flatMap(({ name, kind }) => (kind === "folder" ? name : []));
  // Unreadable folders and dangling links are reported as findings.
  const mayBeModels = folders.some((name) => host.list(name)?.some(isOfModel) ?? true);
  if (mayBeModels || entries.some(({ kind }) => kind === "other")) return;
  const inner = folders.find((name) => holdsConfigurations(host, name));
  if (inner !== undefined)
    throw usage(
      `${shown} is the parent folder of a model repository, not a model repository`,
      `did you mean ${prefix}${inner}?`,
    );
  throw usage(
    `${shown} contains no models`,
    "a model repository has a folder for each model: <model>/config.pbtxt and <model>/1/…",
  );
};

/** Signs that a folder is a model or is intended to be one. */
const isOfModel = ({ name, kind }: Entry): boolean =>
  kind === "folder" ? /^(?:configs$|v?\d)/i.test(name) : /^(?:config|model)\./i.test(name);

const holdsConfigurations = (host: RepositoryHost, folder: string): boolean =>
  host
    .list(folder)
    ?.some(
      ({ name, kind }) =>
        kind === "folder" && host.list(`${folder}/${name}`)?.some((entry) => entry.name === "config.pbtxt"),
    ) ?? false;
