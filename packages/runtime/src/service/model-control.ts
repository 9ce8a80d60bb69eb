import { foreignError, type PipelineError } from "@tritype/core";
import { modelFolders } from "../repository/read-repository.ts";
import type { LoadOverride } from "../runtime.ts";
import { dependents, leavingWith } from "./control-graph.ts";
import { createInOrder } from "./in-order.ts";
import { checkModelPath, type ControlledModel, type PollOptions, pollWanted } from "./polled-model.ts";
import { allReady, folderIndex } from "./repository-index.ts";
import type { RuntimeControl } from "./runtime-control.ts";
import type { ServedTable } from "./served-table.ts";
import { settleModel } from "./settle-model.ts";
import { stopping } from "./stopping.ts";
import { transition } from "./transition.ts";
import { runtimeError } from "../errors.ts";

/** Control by load and unload requests. */
export interface ModelControl extends RuntimeControl {
  /** Loads several models together; returns the errors for those that could not be loaded, as thrown by `load`. */
  loadAll(models: readonly string[]): Promise<readonly PipelineError[]>;
}

/**
 * Loads and unloads models on request, one request after the other. A request from a model that is being loaded
 * (`asker`) does not wait for that load.
 * Source: `ModelRepositoryManager` and `ModelLifeCycle` of Triton core.
 */
export const createModelControl = (served: ServedTable, options: PollOptions): ModelControl => {
  const models = new Map<string, ControlledModel>();
  const state = { served, models, loaded: new Set<string>(), options };
  const inOrder = createInOrder();
  let closed = false;
  /** Runs a change after the previous ones; immediately if one of those is waiting for the caller. */
  const change = <T>(asker: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(stopping());
    return asker !== undefined && served.loading().has(asker) ? work() : inOrder.run(work);
  };
  const underway = () => ({ loading: served.loading(), ending: served.ending() });
  return {
    load: async (name, override, asker) => {
      checkModelPath(name);
      const [error] = await change(asker, () => load(state, new Map([[name, override]])));
      if (error !== undefined) throw error;
    },
    loadAll: (names) => change(undefined, () => load(state, new Map(names.map((name) => [name, undefined])))),
    unload: (name, withMembers = false, asker) => change(asker, () => unload(state, name, withMembers)),
    reload: () => Promise.reject(runtimeError("model/not-polled", {})),
    ready: () => allReady(served.current(), underway()),
    index: async () => folderIndex(await modelFolders(options.repository), served.current(), underway()),
    close: async () => {
      closed = true;
      await inOrder.idle();
      for (const name of models.keys()) forget(state, name);
    },
  };
};

interface State {
  readonly served: ServedTable;
  /** The models affected by load requests, by name. */
  readonly models: Map<string, ControlledModel>;
  /** The models that have ever been loaded. */
  readonly loaded: Set<string>;
  readonly options: PollOptions;
}

const load = async (
  state: State,
  wanted: ReadonlyMap<string, LoadOverride | undefined>,
): Promise<readonly PipelineError[]> => {
  const { changed, failures } = await pollWanted(wanted, state.models, state.loaded, state.options);
  try {
    refuseWhileLoading(state, changed.keys());
  } catch (error) {
    for (const { folder } of changed.values()) folder?.release();
    throw error;
  }
  for (const [name, model] of changed) {
    forget(state, name);
    state.models.set(name, model);
  }
  const problems = await apply(state, new Set(changed.keys()));
  return [...wanted.keys()].flatMap((name) => {
    const problem = problems.get(name);
    if (problem === undefined) return failures.get(name) ?? [];
    return foreignError("request/invalid", `load failed for model '${name}': ${problem}\n`);
  });
};

const unload = async (state: State, name: string, withMembers: boolean): Promise<void> => {
  if (!state.models.has(name)) return;
  const leaving = withMembers ? leavingWith(state.models, name) : new Set([name]);
  refuseWhileLoading(state, leaving);
  for (const left of leaving) forget(state, left);
  await apply(state, leaving);
};

/** Serves the changed models as listed in `models`, and the ensembles that use them; returns why some could not be loaded. */
const apply = (
  { served, models, loaded }: State,
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
        if (model === undefined) continue;
        const problem = problems.get(name);
        if (problem === undefined) loaded.add(name);
        const found = problem === undefined ? model.found : model.foundBefore;
        models.set(name, { ...model, problem, found });
      }
      return { next: settled, result: problems };
    },
  });
};

const refuseWhileLoading = ({ served }: State, names: Iterable<string>): void => {
  for (const name of names)
    if (served.loading().has(name)) throw runtimeError("model/loading", { model: name });
};

const forget = ({ models }: State, name: string): void => {
  models.get(name)?.folder?.release();
  models.delete(name);
};
