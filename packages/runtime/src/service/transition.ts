import { foreignError, type PipelineError } from "@tritype/core";
import { stepModels } from "@tritype/triton";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import type { ReadableModel, RepositoryModel } from "../repository/read-model.ts";
import { composeEnsemble } from "./compose-ensemble.ts";
import { ensembleProblem } from "./ensemble-problem.ts";
import { loadModel } from "./load-model.ts";
import { loadOrder } from "./load-order.ts";
import { loadTogether } from "./load-together.ts";
import type { ModelFiles } from "./model-files.ts";
import type { ModelLoader } from "./model-loader.ts";
import { emptyModel, type ModelTable, reasonOf, type ServedModel, unchangedVersions } from "./model-table.ts";
import type { ServedTable } from "./served-table.ts";

/** The target state of a model. */
export interface WantedModel {
  readonly model: RepositoryModel;
  readonly files: ModelFiles;
  readonly load: ModelLoader;
  /** The reason why the last load failed, if the source of the change records that. */
  readonly problem?: string | undefined;
}

/** A change of the served models. */
export interface Change<T> {
  /**
   * All wanted models. The map is read again after the loads, because a model can request changes while it is being
   * loaded.
   */
  readonly wanted: ReadonlyMap<string, WantedModel>;
  /** The models to load again, and those that are no longer wanted. */
  readonly affected: ReadonlySet<string>;
  readonly settle: Settle;
  /** Called when everything is loaded and composed; the result is served immediately. */
  decide(outcome: Outcome): { readonly next: ModelTable; readonly result: T };
}

/**
 * Decides what replaces one model; the ensembles that use the model then get the replacement.
 * @param before The served model.
 * @param made The newly created model; undefined if it is no longer wanted.
 * @param refusal Why an ensemble could not be composed at all.
 */
export type Settle = (
  before: ServedModel | undefined,
  made: ServedModel | undefined,
  refusal: string | undefined,
) => { readonly model: ServedModel | undefined; readonly problem?: string | undefined };

export interface Outcome {
  /** The previous table, with every affected model settled. */
  readonly settled: ModelTable;
  /** The newly created affected models. */
  readonly made: ModelTable;
  /** The reason why affected models could not be loaded, as reported by `settle`. */
  readonly problems: ReadonlyMap<string, string>;
}

/**
 * Loads the affected models in parallel to the running ones, composes the ensembles, and replaces the table. Never
 * rejects because of a model.
 */
export const transition = async <T>(served: ServedTable, change: Change<T>): Promise<T> => {
  const single = inOrder(change).models.filter(({ model }) => !isEnsemble(model.config));
  served.startLoading(single.map(({ model }) => model));
  const loaded = await loadTogether(single, ({ model, files, load }) =>
    loadModel(model, files, load, unchangedVersions(served.current().get(model.name), files), served.shared),
  );
  const outcome = settleAll(change, served, new Map(loaded.map((one) => [one.name, one])));
  const { next, result } = change.decide(outcome);
  served.replace(next, outcome.made);
  return result;
};

type Readable = WantedModel & { readonly model: ReadableModel };
const isReadable = (one: WantedModel): one is Readable => one.model.kind === "model";

/** The affected models, each before the ensembles that use it, and the ensembles that form cycles. */
const inOrder = ({ wanted, affected }: Change<unknown>) => {
  const readable = new Map([...wanted.values()].filter(isReadable).map((one) => [one.model.name, one]));
  const configs = new Map([...readable].map(([name, { model }]) => [name, model.config]));
  const { order, problems } = loadOrder(configs);
  const models = order.flatMap((name) => (affected.has(name) ? (readable.get(name) ?? []) : []));
  return { configs, models, circles: problems.filter(({ name }) => affected.has(name)) };
};

/** @param loaded The affected models that are not ensembles. */
const settleAll = (change: Change<unknown>, served: ServedTable, loaded: ModelTable): Outcome => {
  const before = served.current();
  const { wanted, affected, settle } = change;
  const { configs, models, circles } = inOrder(change);
  const settled = new Map(before);
  const all = new Map<string, ServedModel>();
  const problems = new Map<string, string>();
  const put = (name: string, made?: ServedModel, refusal?: string): void => {
    const { model, problem } = settle(before.get(name), made, refusal);
    if (made !== undefined) all.set(name, made);
    if (model === undefined) settled.delete(name);
    else settled.set(name, model);
    if (problem !== undefined) problems.set(name, problem);
  };
  const problemOf = (name: string): string | undefined =>
    affected.has(name) ? problems.get(name) : wanted.get(name)?.problem;
  for (const name of affected) {
    const found = wanted.get(name);
    if (found === undefined) put(name);
    else if (found.model.kind === "broken")
      put(name, { ...emptyModel(name, found.files), problem: found.model.problem });
  }
  for (const { name, reason } of circles) {
    const problem = foreignError("repository/invalid", reason);
    put(name, { ...emptyModel(name, wanted.get(name)?.files), problem }, reason);
  }
  for (const { model, files } of models) {
    const { name, config } = model;
    const made = loaded.get(name);
    if (made !== undefined) put(name, made);
    if (!isEnsemble(config)) continue;
    const refusal = ensembleProblem(config, settled, configs, problemOf);
    if (refusal === undefined) put(name, composeEnsemble(model, files, settled, served.shared));
    else {
      const problem = refusalError(model, refusal, settled);
      put(name, { ...emptyModel(name, files), problem }, refusal);
    }
  }
  return { settled, made: all, problems };
};

/** The help comes from the model of the first failing step. */
const refusalError = ({ config }: ReadableModel, reason: string, table: ModelTable): PipelineError => {
  const help = stepModels(config).flatMap((step) => {
    const member = table.get(step);
    return member === undefined || member.ready.length > 0 ? [] : (reasonOf(member)?.help ?? []);
  })[0];
  return foreignError("repository/invalid", reason, help === undefined ? {} : { help });
};
