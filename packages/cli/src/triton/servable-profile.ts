import { existsSync } from "node:fs";
import { join } from "node:path";
import { configNames, type RepositoryHost } from "@tritype/check";
import { parseModelConfig } from "@tritype/triton";
import { createRepositoryHost } from "@tritype/runtime/host";

/** Models of a repository that a Triton cannot load for lack of a backend. */
export interface MissingBackends {
  /** Backend → its models. */
  readonly backends: ReadonlyMap<string, readonly string[]>;
  /** Profiles with which none is missing. */
  readonly profiles: readonly string[];
}

/**
 * Which backends the models name, by a configuration of theirs, that a server lacks; undefined when it has all. A backend that a model
 * brings with it is there.
 * @param configName Takes `configs/<name>.pbtxt` of every model that has one.
 */
export const missingBackends = (
  repository: string,
  configName: string | undefined,
  installed: readonly string[],
): MissingBackends | undefined => {
  const host = createRepositoryHost(repository);
  const lacking = (name: string | undefined): ReadonlyMap<string, readonly string[]> => {
    const backends = new Map<string, string[]>();
    for (const { name: model, kind } of host.list("") ?? []) {
      if (kind !== "folder") continue;
      const backend = backendOf(host, model, name);
      if (backend === undefined || installed.includes(backend) || isBrought(repository, model, backend))
        continue;
      backends.set(backend, [...(backends.get(backend) ?? []), model]);
    }
    return backends;
  };
  const backends = lacking(configName);
  if (backends.size === 0) return undefined;
  return { backends, profiles: configNames(host).filter((name) => lacking(name).size === 0) };
};

const backendOf = (
  host: RepositoryHost,
  model: string,
  configName: string | undefined,
): string | undefined => {
  const own = configName === undefined ? undefined : text(host, `${model}/configs/${configName}.pbtxt`);
  const read = own ?? text(host, `${model}/config.pbtxt`);
  const parsed = read === undefined ? undefined : parseModelConfig(read);
  return parsed !== undefined && "config" in parsed ? parsed.config.backend || undefined : undefined;
};

const text = (host: RepositoryHost, path: string): string | undefined => {
  const bytes = host.read(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
};

const isBrought = (repository: string, model: string, backend: string): boolean =>
  existsSync(join(repository, model, `libtriton_${backend}.so`)) ||
  existsSync(join(repository, model, "1", `libtriton_${backend}.so`));
