import { hash } from "node:crypto";
import { dirname } from "node:path";
import type { Endpoint } from "@tritype/endpoint";
import type { EnsembleStep } from "@tritype/load-test";
import { readManifest } from "@tritype/project";
import { type ModelConfig, stepVersion } from "@tritype/triton";
import { cliError } from "../errors.ts";

/** Maps a model to the hash of its files in a build; undefined if there is no manifest next to the repository. */
export const builtModels = (repository: string): Readonly<Record<string, string>> | undefined => {
  const manifest = readManifest(dirname(repository));
  if (manifest === undefined) return undefined;
  const { models, files } = manifest;
  return Object.fromEntries(
    models.map(({ name }) => [
      name,
      hash(
        "sha256",
        JSON.stringify(
          Object.entries(files)
            .filter(([file]) => file.startsWith(`model_repository/${name}/`))
            .toSorted(([a], [b]) => (a < b ? -1 : 1)),
        ),
      ),
    ]),
  );
};

export type ServedConfigs = ReadonlyMap<string, ModelConfig>;

/** Maps a model to the hash of its configuration. */
export const configuredModels = (configs: ServedConfigs): Readonly<Record<string, string>> =>
  Object.fromEntries([...configs].map(([name, config]) => [name, hash("sha256", JSON.stringify(config))]));

/** Maps an ensemble to its steps, as configured. */
export const ensemblesOf = (configs: ServedConfigs): ReadonlyMap<string, readonly EnsembleStep[]> =>
  new Map(
    [...configs].flatMap(([name, { ensemble_scheduling: scheduling }]) => {
      const steps = (scheduling?.step ?? []).map(({ model_name: model = "", input_map, output_map }) => ({
        model,
        reads: Object.values(input_map ?? {}),
        writes: Object.values(output_map ?? {}),
      }));
      return scheduling === undefined ? [] : [[name, steps] as const];
    }),
  );

/** Whether requests to one of the models need a sequence ID. */
export const haveSequences = (configs: ServedConfigs): boolean =>
  [...configs.values()].some(
    ({ sequence_batching: sequences }) => sequences !== undefined && sequences.iterative_sequence !== true,
  );

/** @throws PipelineError `request/unsupported` if requests to one of the models need a sequence ID */
export const refuseSequences = (configs: ServedConfigs, model: string, command: string): void => {
  if (haveSequences(configs)) throw cliError("request/sequences", { model, command });
};

/**
 * The configurations that a server has for a model and for all models in its ensemble; for a model that several steps call, that of the
 * version that the first step requests.
 */
export const servedConfigs = async (endpoint: Endpoint, model: string): Promise<ServedConfigs> => {
  const configs = new Map<string, ModelConfig>();
  const read = async (name: string, version?: string): Promise<void> => {
    if (configs.has(name)) return;
    const config = await endpoint.config(name, version);
    configs.set(name, config);
    for (const step of config.ensemble_scheduling?.step ?? [])
      if (step.model_name !== undefined) await read(step.model_name, stepVersion(step));
  };
  await read(model);
  return configs;
};
