import type { DeployedBuild, DeployedModel } from "../deployed-build.ts";

/** Models that form batches. */
export const batchingModels = ({ models }: DeployedBuild): readonly string[] =>
  namesOf(
    models.filter(({ config }) => config.dynamic_batching !== undefined && (config.max_batch_size ?? 0) > 1),
  );

/** Models with the response cache. */
export const cachingModels = ({ models }: DeployedBuild): readonly string[] =>
  namesOf(models.filter(({ config }) => config.response_cache?.enable === true));

const namesOf = (models: readonly DeployedModel[]): readonly string[] =>
  models.map(({ name }) => name).toSorted();
