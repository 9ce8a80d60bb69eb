import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { attempt, groupBy } from "@tritype/core";
import { neededBackend, parseModelConfig } from "@tritype/triton";

/** Models of a repository that a Triton cannot load because it lacks a backend. */
export interface MissingBackends {
  /** Backend → its models. */
  readonly backends: ReadonlyMap<string, readonly string[]>;
  /** Profiles for which no backend is missing. */
  readonly profiles: readonly string[];
}

/**
 * The backends in the selected configurations that a server lacks; undefined if none is missing. A backend that is part of a
 * model counts as present.
 * @param configName Uses `configs/<name>.pbtxt` for every model that has it.
 */
export const missingBackends = (
  repository: string,
  configName: string | undefined,
  installed: readonly string[],
): MissingBackends | undefined => {
  const models = namesIn(repository).filter(
    (name) => statSync(join(repository, name), { throwIfNoEntry: false })?.isDirectory() === true,
  );
  const lacking = (name: string | undefined): ReadonlyMap<string, readonly string[]> =>
    groupBy(
      models.flatMap((model) => {
        const backend = backendOf(join(repository, model), name);
        return backend === undefined || installed.includes(backend) ? [] : [[backend, model] as const];
      }),
    );
  const backends = lacking(configName);
  if (backends.size === 0) return undefined;
  const profiles = models
    .flatMap((model) => namesIn(join(repository, model, "configs")))
    .flatMap((file) => (file.endsWith(".pbtxt") ? file.slice(0, -6) : []));
  return {
    backends,
    profiles: [...new Set(profiles)].toSorted().filter((name) => lacking(name).size === 0),
  };
};

/** Sorted; empty if it is not a folder. */
const namesIn = (folder: string): readonly string[] => attempt(() => readdirSync(folder).toSorted()) ?? [];

const backendOf = (model: string, configName: string | undefined): string | undefined => {
  const own = configName === undefined ? undefined : textOf(join(model, "configs", `${configName}.pbtxt`));
  const read = own ?? textOf(join(model, "config.pbtxt"));
  const parsed = read === undefined ? undefined : parseModelConfig(read);
  if (parsed === undefined || !("config" in parsed)) return undefined;
  const paths = namesIn(model).flatMap((name) => [
    name,
    ...namesIn(join(model, name)).map((inside) => `${name}/${inside}`),
  ]);
  return neededBackend(parsed.config, paths);
};

const textOf = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true ? readFileSync(path, "utf8") : undefined;
