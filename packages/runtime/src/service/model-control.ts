import { PipelineError } from "@tritype/core";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import { noVersion, type ReadableModel } from "../repository/read-model.ts";
import { modelFolders } from "../repository/read-repository.ts";
import type { LoadOverride, ModelStatus } from "../runtime.ts";
import { composeEnsemble, membersRefusal } from "./compose-ensemble.ts";
import { dependents, leavingWith } from "./control-graph.ts";
import { type ControlledModel, pollControlled, type PollOptions } from "./polled-model.ts";
import { createInOrder } from "./in-order.ts";
import { loadModel } from "./load-model.ts";
import { loadOrder, stepModels } from "./load-order.ts";
import { loadTogether } from "./load-together.ts";
import {
  byName,
  type ModelTable,
  type ReadyVersion,
  type ServedModel,
  unchangedVersions,
  unloaded,
} from "./model-table.ts";
import { repositoryIndex, stateReason } from "./repository-index.ts";
import type { ServedTable } from "./served-table.ts";
import { stopping } from "./stopping.ts";

/**
 * Serves the models that requests ask for, one request after the other. What a model asks for while it is being loaded (`asker`) does not
 * wait for that. Source: `ModelRepositoryManager` and `ModelLifeCycle` of Triton core.
 */
export interface ModelControl {
  /**
   * Loads a model, and the members of an ensemble; of those that are loaded already, what has changed.
   * @throws PipelineError with Triton's text: `repository/invalid` when it cannot be read, `request/invalid` when it cannot be loaded;
   * `model/unavailable` for a model that is being loaded, and after `close`.
   */
  load(model: string, override?: LoadOverride, asker?: string): Promise<void>;
  /** Loads several at once; the errors of those that could not be loaded, as `load` throws them. */
  loadAll(models: readonly string[]): Promise<ReadonlyMap<string, PipelineError>>;
  /** Unloads a model, and the ensembles that use it. @param dependents Also the members that came only with it. */
  unload(model: string, dependents: boolean, asker?: string): Promise<void>;
  /** What is served, being loaded and being unloaded. */
  statuses(): readonly ModelStatus[];
  /** Every folder of the repository, and what became of it. */
  index(): Promise<readonly ModelStatus[]>;
  /** Loads and unloads nothing any more; resolves when what is under way has ended. */
  close(): Promise<void>;
}

export const createModelControl = (served: ServedTable, options: PollOptions): ModelControl => {
  const models = new Map<string, ControlledModel>();
  const loading = new Map<string, readonly string[]>();
  const inOrder = createInOrder();
  let closed = false;
  /** Runs a change after those before it; at once where they wait for who asks. */
  const change = <T>(asker: string | undefined, work: () => Promise<T>): Promise<T> => {
    if (closed) return Promise.reject(stopping());
    return asker !== undefined && loading.has(asker) ? work() : inOrder.run(work);
  };
  const refuseWhileLoading = (name: string): void => {
    if (loading.has(name)) throw new PipelineError("model/unavailable", `model '${name}' is being loaded`);
  };

  const forget = async (name: string): Promise<void> => {
    await models.get(name)?.folder?.release();
    models.delete(name);
  };

  /** Polls a model and, of ensembles, the members: what has to be loaded goes into `changed`. Says why not all could be polled. */
  const poll = async (
    name: string,
    override: LoadOverride | undefined,
    changed: Map<string, ControlledModel>,
  ): Promise<PipelineError | undefined> => {
    const seen = new Set([name]);
    let failure: PipelineError | undefined;
    for (const next of seen) {
      const known = models.get(next);
      let found = changed.get(next) ?? known;
      try {
        const own = next === name ? override : undefined;
        found = changed.get(next) ?? (await pollControlled(next, own, known, options));
        if (found !== known) changed.set(next, next === name ? { ...found, explicit: true } : found);
      } catch (error) {
        if (!PipelineError.is(error)) throw error;
        failure ??= error;
      }
      if (found !== undefined) for (const step of stepModels(found.config)) seen.add(step);
    }
    return failure;
  };

  const load = async (
    wanted: ReadonlyMap<string, LoadOverride | undefined>,
  ): Promise<ReadonlyMap<string, PipelineError>> => {
    const changed = new Map<string, ControlledModel>();
    const failures = new Map<string, PipelineError>();
    for (const [name, override] of wanted) {
      const failure = await poll(name, override, changed);
      if (failure !== undefined) failures.set(name, failure);
    }
    for (const name of changed.keys()) refuseWhileLoading(name);
    for (const [name, model] of changed) {
      await forget(name);
      models.set(name, model);
    }
    const problems = await apply(new Set(changed.keys()), new Set());
    return new Map(
      [...wanted.keys()].flatMap((name) => {
        const error = loadError(name, problems.get(name), failures.get(name));
        return error === undefined ? [] : [[name, error] as const];
      }),
    );
  };

  const unload = async (name: string, withMembers: boolean): Promise<void> => {
    if (!models.has(name)) return;
    const leaving = withMembers ? leavingWith(models, name) : new Set([name]);
    for (const left of leaving) refuseWhileLoading(left);
    for (const left of leaving) await forget(left);
    await apply(new Set(), leaving);
  };

  /** Loads what changed and every ensemble above, then serves it all at once; says why some could not be loaded. */
  const apply = async (
    changed: ReadonlySet<string>,
    removed: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, string>> => {
    const made = new Map<string, ServedModel>();
    const of = (name: string): ServedModel | undefined => made.get(name) ?? served.current().get(name);
    const unused: ReadyVersion[] = [];
    const problems = new Map<string, string>();
    const fail = (name: string, problem: string): void => {
      problems.set(name, problem);
      const known = models.get(name);
      if (known !== undefined) models.set(name, { ...known, problem });
    };
    const invalidate = (name: string, problem: string): void => {
      fail(name, problem);
      leave(name);
    };
    const leave = (name: string): void => {
      const left = of(name);
      if (left !== undefined) made.set(name, withoutVersions(left));
    };
    /** Puts what was made in its place; whether all of it can be served. */
    const settle = ({ name, versions }: ReadableModel, candidate: ServedModel): boolean => {
      const before = served.current().get(name);
      const problem = versions.length === 0 ? noVersion(name).message : failedVersions(candidate);
      made.set(name, problem === undefined ? replaced(before, candidate) : kept(before, candidate, problem));
      if (problem !== undefined) fail(name, problem);
      return problem === undefined;
    };
    for (const name of removed) leave(name);
    const above = dependents(models, new Set([...changed, ...removed]));
    const affected = new Set([...changed, ...above]);
    const { order, problems: circles } = loadOrder(
      new Map([...models].map(([name, { config }]) => [name, config])),
    );
    for (const { name, reason } of circles) if (affected.has(name)) invalidate(name, reason);
    const todo = order.filter((name) => affected.has(name)).flatMap((name) => models.get(name) ?? []);
    const single = todo.filter(({ config }) => !isEnsemble(config));
    for (const { model } of single) loading.set(model.name, model.versions);
    const loaded = await loadTogether(single, ({ model, files, load: loadVersion }) =>
      loadModel(model, files, loadVersion, unchangedVersions(served.current().get(model.name), files)),
    );
    for (const [index, { model }] of single.entries()) {
      const candidate = loaded[index] as ServedModel;
      if (!settle(model, candidate)) for (const ready of candidate.ready) unused.push(ready);
    }
    const next = (): Map<string, ServedModel> => new Map([...served.current(), ...made]);
    const compose = async ({ model, files }: ControlledModel): Promise<void> => {
      problems.delete(model.name);
      const table = next();
      const problem = membersProblem(model.name, models, table) ?? membersRefusal(model.config, table);
      if (problem === undefined) settle(model, await composeEnsemble(model, files, table));
      else invalidate(model.name, problem);
    };
    let base: ModelTable;
    do {
      base = served.current();
      for (const known of todo) if (isEnsemble(known.config)) await compose(known);
      // A member may have changed meanwhile, when a model that is being loaded asked for it.
    } while (served.current() !== base);
    for (const { model } of single) loading.delete(model.name);
    for (const { model } of todo) {
      const known = models.get(model.name);
      if (known === undefined || problems.has(model.name)) continue;
      const { problem: _, ...rest } = known;
      models.set(model.name, rest);
    }
    served.replace(next(), unused);
    return problems;
  };

  const statuses = (): readonly ModelStatus[] => {
    const table = served.current();
    const first = [...loading.keys()].filter((name) => !table.has(name)).map(emptyModel);
    return repositoryIndex(new Map([...table, ...first]), { loading, ending: served.ending() });
  };

  return {
    load: async (name, override, asker) => {
      const errors = await change(asker, () => load(new Map([[name, override]])));
      for (const error of errors.values()) throw error;
    },
    loadAll: (names) =>
      change(undefined, () => load(new Map(names.map((name) => [name, undefined] as const)))),
    unload: (name, withMembers, asker) => change(asker, () => unload(name, withMembers)),
    statuses,
    index: async () => {
      const folders = await modelFolders(options.repository);
      const known = statuses().filter(({ name }) => folders.includes(name));
      const names = new Set([...served.current().keys(), ...loading.keys()]);
      return [
        ...known,
        ...folders
          .filter((name) => !names.has(name))
          .map((name): ModelStatus => ({ name, state: "UNKNOWN" })),
      ].toSorted(byName);
    },
    close: async () => {
      closed = true;
      await inOrder.idle();
      for (const name of models.keys()) await forget(name);
    },
  };
};

const loadError = (
  name: string,
  problem: string | undefined,
  failure: PipelineError | undefined,
): PipelineError | undefined => {
  if (problem !== undefined)
    return new PipelineError("request/invalid", `load failed for model '${name}': ${problem}\n`);
  if (failure === undefined) return undefined;
  return new PipelineError(
    "repository/invalid",
    `failed to load '${name}', failed to poll from model repository`,
    { cause: failure, help: failure.message },
  );
};

const emptyModel = (name: string): readonly [string, ServedModel] => [
  name,
  { name, ready: [], failed: [], files: { shared: "", versions: new Map() } },
];

const withoutVersions = (model: ServedModel): ServedModel => {
  const { refused: _, ...served } = model;
  return { ...served, ready: [], failed: notReady(served) };
};

/** What became of the versions that are not in `ready`. */
const notReady = (
  served: ServedModel | undefined,
  ready: readonly ReadyVersion[] = [],
): ServedModel["failed"] => {
  const now = new Set(ready.map(({ version }) => version));
  const left = (served?.ready ?? []).map(({ version }) => ({ version, reason: unloaded }));
  return [...(served?.failed ?? []), ...left].filter(({ version }) => !now.has(version));
};

const replaced = (before: ServedModel | undefined, made: ServedModel): ServedModel => ({
  ...made,
  failed: notReady(before, made.ready),
});

/** A model of which a version cannot be loaded: the others that were made end with it, and what is served stays. */
const kept = (before: ServedModel | undefined, made: ServedModel, problem: string): ServedModel => {
  const failed = new Map(notReady(before, before?.ready ?? []).map((one) => [one.version, one]));
  const serving = new Set(before?.ready.map(({ version }) => version));
  for (const { version } of made.ready) failed.set(version, { version, reason: unloaded });
  for (const one of made.failed) failed.set(one.version, one);
  return {
    ...(before ?? made),
    ready: before?.ready ?? [],
    failed: [...failed.values()].filter(({ version }) => !serving.has(version)),
    refused: {
      files: made.files,
      reason: made.failed[0]?.reason ?? new PipelineError("repository/invalid", problem),
    },
  };
};

const failedVersions = ({ failed }: ServedModel): string | undefined =>
  failed.length === 0
    ? undefined
    : failed
        .map(({ version, reason }) => `version ${version} is at UNAVAILABLE state: ${stateReason(reason)};`)
        .join("");

/** Why an ensemble cannot be tried with the members that there are. */
const membersProblem = (
  ensemble: string,
  models: ReadonlyMap<string, ControlledModel>,
  table: ModelTable,
): string | undefined => {
  const { config } = models.get(ensemble) as ControlledModel;
  const missing = stepModels(config).filter((step) => !models.has(step));
  if (missing.length > 0)
    return `ensemble ${ensemble} contains models that are not available or ambiguous: ${missing.toSorted().join(", ")}`;
  for (const { model_name: step = "", model_version: version = 0 } of config.ensemble_scheduling?.step ??
    []) {
    const ready = table.get(step)?.ready ?? [];
    const { config: own, problem = "" } = models.get(step) as ControlledModel;
    const uses = `ensemble '${ensemble}' depends on '${step}'`;
    if (problem !== "" && isEnsemble(own))
      return `${uses} which is not valid. Model '${step}' failed with error: ${problem}`;
    if (ready.length === 0)
      return `${uses} which has no loaded version. Model '${step}' loading failed with error: ${problem}`;
    if (version !== -1 && !ready.some((one) => one.version === String(version)))
      return `${uses} whose required version ${version} is not loaded.`;
  }
  return undefined;
};
