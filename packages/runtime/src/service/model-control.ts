import { PipelineError } from "@tritype/core";
import { modelFolders } from "../repository/read-repository.ts";
import type { LoadOverride } from "../runtime.ts";
import { dependents, leavingWith } from "./control-graph.ts";
import { createInOrder } from "./in-order.ts";
import { checkModelPath, loadErrors } from "./load-errors.ts";
import { type ControlledModel, type PollOptions, pollWanted } from "./polled-model.ts";
import { folderIndex, repositoryIndex } from "./repository-index.ts";
import type { RuntimeControl } from "./runtime-control.ts";
import type { ServedTable } from "./served-table.ts";
import { settleModel } from "./settle-model.ts";
import { stopping } from "./stopping.ts";
import { transition } from "./transition.ts";

/** Control by load and unload requests. */
export interface ModelControl extends RuntimeControl {
  /** Loads several models at once; the errors of those that could not be loaded, as `load` throws them. */
  loadAll(models: readonly string[]): Promise<ReadonlyMap<string, PipelineError>>;
}

/**
 * Serves the models that requests ask for, one request after the other. What a model asks for while it is being loaded (`asker`) does not
 * wait for that. Source: `ModelRepositoryManager` and `ModelLifeCycle` of Triton core.
 */
export const createModelControl = (served: ServedTable, options: PollOptions): ModelControl => {
  const models: Models = new Map();
  const inOrder = createInOrder();
  let closed = false;
  /** Runs a change after those before it; at once where they wait for who asks. */
  const change = <T>(asker: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(stopping());
    return asker !== undefined && served.loading().has(asker) ? work() : inOrder.run(work);
  };
  const underway = () => ({ loading: served.loading(), ending: served.ending() });
  return {
    load: async (name, override, asker) => {
      checkModelPath(name);
      const errors = await change(asker, () => load(served, models, new Map([[name, override]]), options));
      for (const error of errors.values()) throw error;
    },
    loadAll: (names) =>
      change(undefined, () => load(served, models, new Map(names.map((name) => [name, undefined])), options)),
    unload: (name, withMembers = false, asker) =>
      change(asker, () => unload(served, models, name, withMembers)),
    reload: () =>
      Promise.reject(
        new PipelineError("model/unavailable", "models are loaded explicitly, not as the repository changes"),
      ),
    statuses: () => repositoryIndex(served.current(), underway()),
    index: async () => folderIndex(await modelFolders(options.repository), served.current(), underway()),
    close: async () => {
      closed = true;
      await inOrder.idle();
      for (const name of models.keys()) await forget(models, name);
    },
  };
};

/** The models that load requests speak of, by name. */
type Models = Map<string, ControlledModel>;

const load = async (
  served: ServedTable,
  models: Models,
  wanted: ReadonlyMap<string, LoadOverride | undefined>,
  options: PollOptions,
): Promise<ReadonlyMap<string, PipelineError>> => {
  const { changed, failures } = await pollWanted(wanted, models, options);
  refuseWhileLoading(served, changed.keys());
  for (const [name, model] of changed) {
    await forget(models, name);
    models.set(name, model);
  }
  const problems = await apply(served, models, new Set(changed.keys()));
  return loadErrors(wanted.keys(), problems, failures);
};

const unload = async (
  served: ServedTable,
  models: Models,
  name: string,
  withMembers: boolean,
): Promise<void> => {
  if (!models.has(name)) return;
  const leaving = withMembers ? leavingWith(models, name) : new Set([name]);
  refuseWhileLoading(served, leaving);
  for (const left of leaving) await forget(models, left);
  await apply(served, models, leaving);
};

/** Serves what `models` says of the changed models, and of the ensembles that use them; says why some could not be loaded. */
const apply = (
  served: ServedTable,
  models: Models,
  changed: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> => {
  const affected = new Set([...changed, ...dependents(models, changed)]);
  return transition(served, {
    wanted: models,
    affected,
    settle: settleModel,
    decide: ({ settled, problems }) => {
      for (const name of affected) {
        const model = models.get(name);
        if (model !== undefined) models.set(name, { ...model, problem: problems.get(name) });
      }
      return { next: settled, result: problems };
    },
  });
};

const refuseWhileLoading = (served: ServedTable, names: Iterable<string>): void => {
  for (const name of names)
    if (served.loading().has(name))
      throw new PipelineError("model/unavailable", `model '${name}' is being loaded`);
};

const forget = async (models: Models, name: string): Promise<void> => {
  await models.get(name)?.folder?.release();
  models.delete(name);
};
