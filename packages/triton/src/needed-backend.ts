import type { ModelConfig } from "./generated/model-config.ts";
import { inferBackend } from "./infer-backend.ts";
import { versionsToServe } from "./version-folders.ts";

/**
 * The backend that a server must have installed for a model: undefined if the model has none, or brings its library or
 * `runtime` in its own folder or that of a served version.
 * @param paths Its files, relative to its folder.
 */
export const neededBackend = (config: ModelConfig, paths: readonly string[]): string | undefined => {
  const parts = paths.map((path) => path.split("/"));
  const folders = [...new Set(parts.flatMap(([folder = "", file]) => (file === undefined ? [] : [folder])))];
  const [first] = versionsToServe(folders, { all: {} }).toSorted();
  const names = parts.flatMap(([folder, name]) => (folder === first ? (name ?? []) : []));
  const { backend = "", runtime } = inferBackend(config, names);
  const library = runtime || `libtriton_${backend}.so`;
  const served = versionsToServe(folders, config.version_policy).map((version) => `${version}/`);
  return backend === "" || ["", ...served].some((folder) => paths.includes(folder + library))
    ? undefined
    : backend;
};
