import type { PipelineError } from "@tritype/core";
import { stepModels } from "@tritype/triton";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import type { Repository } from "../repository/read-repository.ts";
import type { FailedReload, ReloadReport } from "../runtime.ts";
import { affectedGroups } from "./affected-groups.ts";
import { type FileStamps, type ModelFiles, modelFiles, sameFiles } from "./model-files.ts";
import type { ModelLoader } from "./model-loader.ts";
import {
  because,
  byName,
  emptyModel,
  isReady,
  lacksVersion,
  type ModelTable,
  reasonOf,
  type ServedModel,
  versionsOf,
} from "./model-table.ts";
import type { ServedTable } from "./served-table.ts";
import { transition, type WantedModel } from "./transition.ts";
import { runtimeError } from "../errors.ts";

/**
 * Serves exactly the models of a repository: load → switch → retire. Never rejects because of a model. Only one call
 * may run at a time.
 * @param stamps Stamps of the repository's files, taken before any of them was read.
 */
export const serveRepository = (
  served: ServedTable,
  repository: Repository,
  stamps: ReadonlyMap<string, FileStamps>,
  load: ModelLoader,
): Promise<ReloadReport> => {
  const table = served.current();
  const found = foundModels(repository, stamps, load);
  const groups = affectedGroups(changedModels(table, found), usesOf(table, found));
  const refused = groups.filter((group) => wasRefused(group, table, found));
  const anew = groups.filter((group) => !refused.includes(group));
  return transition(served, {
    wanted: found,
    affected: new Set(anew.flatMap((group) => [...group])),
    settle: (_before, made, refusal) => ({ model: made, problem: refusal }),
    decide: ({ made }) => {
      const fixed = withoutFixed(table, new Set(refused.flatMap((group) => [...group])));
      const outcomes = anew.flatMap((group) => outcomesOf(group, fixed, found, made));
      const next = new Map(fixed);
      for (const { name, model } of outcomes)
        if (model === undefined) next.delete(name);
        else next.set(name, model);
      return { next, result: reportOf(outcomes, fixed, next) };
    },
  });
};

type Found = ReadonlyMap<string, WantedModel>;

const foundModels = (
  { models, manifest }: Repository,
  stamps: ReadonlyMap<string, FileStamps>,
  load: ModelLoader,
): Found =>
  new Map(
    models.map((model) => {
      const files = modelFiles(model.name, stamps.get(model.name) ?? new Map(), manifest);
      return [model.name, { model, files, load }];
    }),
  );

/** Models that are new, removed, or changed since they were loaded. */
const changedModels = (table: ModelTable, found: Found): readonly string[] =>
  [...new Set([...table.keys(), ...found.keys()])].filter(
    (name) => !sameFiles(table.get(name)?.files, found.get(name)?.files),
  );

/** Ensemble → the models it uses, both in the served state and in the repository. */
const usesOf = (table: ModelTable, found: Found): ReadonlyMap<string, readonly string[]> => {
  const uses = new Map<string, readonly string[]>();
  for (const [name, { model }] of found)
    if (model.kind === "model" && isEnsemble(model.config)) uses.set(name, stepModels(model.config));
  for (const { model, members } of versionsOf(table))
    if (members.length > 0)
      uses.set(model, [...(uses.get(model) ?? []), ...members.map((member) => member.model)]);
  return uses;
};

/** Whether loading failed before with exactly the same files. */
const wasRefused = (group: ReadonlySet<string>, table: ModelTable, found: Found): boolean =>
  [...group].every((name) => {
    const refused = table.get(name)?.refused;
    return refused !== undefined && sameFiles(refused.files, found.get(name)?.files);
  });

/** Keeps `refused` only for these models: for the others, the repository again contains what is served. */
const withoutFixed = (table: ModelTable, refused: ReadonlySet<string>): ModelTable =>
  new Map(
    [...table].map(([name, { refused: before, ...served }]) => [
      name,
      before !== undefined && refused.has(name) ? { ...served, refused: before } : served,
    ]),
  );

/** A group is replaced by its new models as a whole; it stays unchanged if a model that works now would fail afterwards. */
const outcomesOf = (group: ReadonlySet<string>, table: ModelTable, found: Found, made: ModelTable) => {
  const worse = [...group].some((name) => isWorse(table.get(name), made.get(name)));
  const roots = rootFailures(group, found, made);
  return [...group].map((name) => {
    const candidate = made.get(name);
    const failure = candidate === undefined ? undefined : reasonOf(candidate);
    const error = worse ? (failure ?? waiting(name, roots)) : failure;
    const model =
      worse && error !== undefined ? keep(name, table.get(name), found.get(name)?.files, error) : candidate;
    return { name, model, error, waitsFor: roots.includes(name) ? [] : roots };
  });
};

type ModelOutcome = ReturnType<typeof outcomesOf>[number];

const reportOf = (outcomes: readonly ModelOutcome[], table: ModelTable, next: ModelTable): ReloadReport => {
  const names = (some: readonly ModelOutcome[]): readonly string[] => some.map(({ name }) => name).toSorted();
  const affected = new Set(outcomes.map(({ name }) => name));
  return {
    loaded: names(outcomes.filter(({ model, error }) => model !== undefined && error === undefined)),
    unloaded: names(outcomes.filter(({ name, model }) => model === undefined && isReady(table, name))),
    unchanged: [...next.keys()].filter((name) => !affected.has(name)).toSorted(),
    failed: outcomes.flatMap((one) => failedReload(one, isReady(next, one.name))).toSorted(byName),
  };
};

const failedReload = ({ name, error, waitsFor }: ModelOutcome, serving: boolean): readonly FailedReload[] =>
  error === undefined ? [] : [{ name, serving, reason: error.message, ...because(error), waitsFor }];

/** Whether the candidate fails while the served model does not. */
const isWorse = (served: ServedModel | undefined, candidate: ServedModel | undefined): boolean => {
  if (served === undefined || candidate === undefined || served.ready.length === 0) return false;
  const failedBefore = new Set(served.failed.map(({ version }) => version));
  return (
    candidate.problem !== undefined ||
    lacksVersion(candidate) ||
    candidate.failed.some(({ version }) => !failedBefore.has(version))
  );
};

/** The models in a group whose failure is not the result of another model's failure. */
const rootFailures = (
  group: ReadonlySet<string>,
  found: Found,
  candidates: ModelTable,
): readonly string[] => {
  const failing = [...group].filter((name) => {
    const candidate = candidates.get(name);
    return candidate !== undefined && reasonOf(candidate) !== undefined;
  });
  return failing.filter((name) => {
    const model = found.get(name)?.model;
    return model?.kind !== "model" || !stepModels(model.config).some((step) => failing.includes(step));
  });
};

/** The served state, kept unchanged; a new model fails with its group. */
const keep = (
  name: string,
  served: ServedModel | undefined,
  files: ModelFiles | undefined,
  reason: PipelineError,
): ServedModel => ({ ...(served ?? { ...emptyModel(name), problem: reason }), refused: { files, reason } });

const waiting = (name: string, roots: readonly string[]): PipelineError =>
  runtimeError("model/unchanged", { model: name, roots: roots.map((root) => `'${root}'`).join(", ") });
