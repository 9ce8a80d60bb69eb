import { cacheFoldersOf, type ModelConfig, neededBackend, needsGpu } from "@tritype/triton";
import type { EmittedModel } from "../emitted-model.ts";

/** The repository's requirements for the server's image. Lists are sorted, each name once. */
export interface ImageNeeds {
  /** Names of the backends' folders, without backends that a model provides in its own folder. */
  readonly backends: readonly string[];
  /** Whether a model has an instance group on GPUs; without a GPU, the server refuses the model. */
  readonly gpu: boolean;
  /** Whether any model uses the response cache. */
  readonly cache: boolean;
  readonly agents: readonly string[];
  /** Folders in which models keep what they build. */
  readonly caches: readonly string[];
}

export const imageNeeds = (models: readonly EmittedModel[]): ImageNeeds => {
  const configs = models.map(({ config }) => config);
  const inAnyProfile = [...configs, ...models.flatMap(({ profiles }) => profiles)];
  return {
    backends: sorted(models.flatMap(backendsOf)),
    gpu: configs.some(needsGpu),
    cache: inAnyProfile.some(({ response_cache }) => response_cache?.enable === true),
    caches: cacheFoldersOf(inAnyProfile),
    agents: sorted(
      configs.flatMap(({ model_repository_agents }) =>
        (model_repository_agents?.agents ?? []).flatMap(({ name }) => name ?? []),
      ),
    ),
  };
};

/** A profile that needs no prepared files, and whether its server needs a GPU. */
export interface UnpreparedProfile {
  readonly profile: string;
  readonly gpu: boolean;
}

/**
 * The profiles in which no model serves a file that the build cannot write. @param profiles The names, in the order of the models'
 * configurations
 */
export const unpreparedProfiles = (
  models: readonly EmittedModel[],
  profiles: readonly string[],
): readonly UnpreparedProfile[] =>
  profiles.flatMap((profile, at) =>
    models.some((model) => servesPrepared(model, model.profiles[at] ?? model.config))
      ? []
      : [{ profile, gpu: models.some((model) => needsGpu(model.profiles[at] ?? model.config)) }],
  );

const servesPrepared = (
  { versions }: EmittedModel,
  { default_model_filename: file, cc_model_filenames: others = {} }: ModelConfig,
): boolean =>
  [...versions.values()]
    .flatMap(({ prepared = [] }) => prepared)
    .some(({ path }) => file === undefined || path === file || Object.values(others).includes(path));

/** The backends of a model in all its profiles, except those whose library or runtime is in the model's folder. */
export const backendsOf = ({ config, profiles, files, versions }: EmittedModel): readonly string[] => {
  const inVersions = [...versions].flatMap(([version, own]) =>
    [...own.files.keys()].map((path) => `${version}/${path}`),
  );
  const paths = [...files.keys(), ...inVersions];
  const needed = [config, ...profiles].flatMap((one) => neededBackend(one, paths) ?? []);
  return [...new Set(needed)];
};

const sorted = (names: readonly string[]): readonly string[] => [...new Set(names)].toSorted();
