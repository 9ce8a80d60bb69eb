import type { RepositoryHost } from "../repository-host.ts";

/** Names of the configurations that models in a repository store as `configs/<name>.pbtxt`, sorted. */
export const configNames = (host: RepositoryHost): readonly string[] => {
  const names = (host.list("") ?? [])
    .filter(({ kind }) => kind === "folder")
    .flatMap(({ name }) => host.list(`${name}/configs`) ?? [])
    .flatMap(({ name, kind }) => (kind === "file" && name.endsWith(".pbtxt") ? name.slice(0, -6) : []));
  return [...new Set(names)].toSorted();
};
