import { PipelineError } from "@tritype/core";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import type { ReadableModel, RepositoryModel } from "../repository/read-model.ts";
import type { Repository } from "../repository/read-repository.ts";
import type { FailedReload, ReloadReport } from "../runtime.ts";
import { affectedGroups } from "./affected-groups.ts";
import { composeEnsemble } from "./compose-ensemble.ts";
import { loadModel } from "./load-model.ts";
import { loadOrder, stepModels } from "./load-order.ts";
import { loadTogether } from "./load-together.ts";
import { type FileStamps, type ModelFiles, modelFiles, sameFiles } from "./model-files.ts";
import type { ModelLoader } from "./model-loader.ts";
import {
  because,
  type ModelTable,
  reasonOf,
  type ServedModel,
  unchangedVersions,
  versionsOf,
} from "./model-table.ts";
import type { ServedTable } from "./served-table.ts";

/**
 * Serves exactly the models of a repository: load → switch → retire. Never rejects for a model's sake. One call at a time.
 * @param stamps Of the repository's files, taken before anything of it was read.
 */
export const serveRepository = async (
  served: ServedTable,
  repository: Repository,
  stamps: ReadonlyMap<string, FileStamps>,
  load: ModelLoader,
): Promise<ReloadReport> => {
  const table = served.current();
  const found = foundModels(repository, stamps);
  const groups = affectedGroups(changedModels(table, found), usesOf(table, found));
  const refused = groups.filter((group) => wasRefused(group, table, found));
  const anew = groups.filter((group) => !refused.includes(group));
  const affected = new Set(anew.flatMap((group) => [...group]));
  const candidates = await loadCandidates(affected, table, found, load);
  const before = withoutMended(table, new Set(refused.flatMap((group) => [...group])));
  const { next, report } = decide(anew, before, found, candidates);
  served.replace(next, versionsOf(candidates));
  return report;
};

interface FoundModel {
  readonly model: RepositoryModel;
  readonly files: ModelFiles;
}
type Found = ReadonlyMap<string, FoundModel>;

const foundModels = ({ models, manifest }: Repository, stamps: ReadonlyMap<string, FileStamps>): Found =>
  new Map(
    models.map((model) => [
      model.name,
      { model, files: modelFiles(model.name, stamps.get(model.name) ?? new Map(), manifest) },
    ]),
  );

/** Models that are new, gone, or not what they were loaded from. */
const changedModels = (table: ModelTable, found: Found): readonly string[] =>
  [...new Set([...table.keys(), ...found.keys()])].filter((name) => {
    const [served, files] = [table.get(name)?.files, found.get(name)?.files];
    return served === undefined || files === undefined || !sameFiles(served, files);
  });

/** Ensemble → what it uses, as it is served and as the repository holds it. */
const usesOf = (table: ModelTable, found: Found): ReadonlyMap<string, readonly string[]> => {
  const uses = new Map<string, readonly string[]>();
  for (const [name, { model }] of found)
    if (model.kind === "model" && isEnsemble(model.config)) uses.set(name, stepModels(model.config));
  for (const { model, members } of versionsOf(table))
    if (members.length > 0)
      uses.set(model, [...(uses.get(model) ?? []), ...members.map((member) => member.model)]);
  return uses;
};

/** Whether loading failed with the very same files before. */
const wasRefused = (group: ReadonlySet<string>, table: ModelTable, found: Found): boolean =>
  [...group].every((name) => {
    const [refused, files] = [table.get(name)?.refused, found.get(name)?.files];
    if (refused === undefined) return false;
    return refused.files === undefined || files === undefined
      ? refused.files === files
      : sameFiles(refused.files, files);
  });

/** What is still refused stays so; of the others the repository holds again what is served. */
const withoutMended = (table: ModelTable, refused: ReadonlySet<string>): ModelTable =>
  new Map(
    [...table].map(([name, { refused: before, ...served }]) => [
      name,
      before !== undefined && refused.has(name) ? { ...served, refused: before } : served,
    ]),
  );

/** Loads affected models beside each other, then ensembles after what they use. */
const loadCandidates = async (
  affected: ReadonlySet<string>,
  table: ModelTable,
  found: Found,
  load: ModelLoader,
): Promise<ModelTable> => {
  const candidates = new Map<string, ServedModel>();
  const readable = new Map<string, FoundModel & { readonly model: ReadableModel }>();
  for (const [name, { model, files }] of found) {
    if (model.kind === "model") readable.set(name, { model, files });
    else if (affected.has(name))
      candidates.set(name, { name, ready: [], failed: [], problem: model.problem, files });
  }
  const configs = new Map([...readable].map(([name, { model }]) => [name, model.config]));
  const { order, problems } = loadOrder(configs);
  for (const { name, reason } of problems) {
    const files = readable.get(name)?.files;
    const problem = new PipelineError("repository/invalid", reason);
    if (files !== undefined && affected.has(name))
      candidates.set(name, { name, ready: [], failed: [], problem, files });
  }
  const ordered = order.filter((name) => affected.has(name)).flatMap((name) => readable.get(name) ?? []);
  const loaded = await loadTogether(
    ordered.filter(({ model }) => !isEnsemble(model.config)),
    ({ model, files }) => loadModel(model, files, load, unchangedVersions(table.get(model.name), files)),
  );
  for (const model of loaded) candidates.set(model.name, model);
  for (const { model, files } of ordered)
    if (isEnsemble(model.config))
      candidates.set(model.name, await composeEnsemble(model, files, combined(table, affected, candidates)));
  return candidates;
};

/** What stays, and the candidates in the place of what does not. */
const combined = (
  table: ModelTable,
  affected: ReadonlySet<string>,
  candidates: ModelTable,
): Map<string, ServedModel> =>
  new Map([...[...table].filter(([name]) => !affected.has(name)), ...candidates]);

const decide = (
  groups: readonly ReadonlySet<string>[],
  table: ModelTable,
  found: Found,
  candidates: ModelTable,
): { readonly next: ModelTable; readonly report: ReloadReport } => {
  const next = new Map(table);
  const loaded: string[] = [];
  const unloaded: string[] = [];
  const failed: FailedReload[] = [];
  const fail = (
    name: string,
    { ready }: ServedModel,
    error: PipelineError,
    waitsFor: readonly string[],
  ): void =>
    void failed.push({ name, serving: ready.length > 0, reason: error.message, ...because(error), waitsFor });
  for (const group of groups) {
    const worse = [...group].some((name) => isWorse(table.get(name), candidates.get(name)));
    const roots = rootFailures(group, found, candidates);
    for (const name of group) {
      const [served, candidate] = [table.get(name), candidates.get(name)];
      const reason = candidate === undefined ? undefined : reasonOf(candidate);
      const others = roots.includes(name) ? [] : roots;
      if (worse) {
        const why = reason ?? waiting(name, roots);
        const kept = keep(name, served, found.get(name)?.files, why);
        next.set(name, kept);
        fail(name, kept, why, others);
      } else if (candidate === undefined) {
        next.delete(name);
        if (served !== undefined && served.ready.length > 0) unloaded.push(name);
      } else {
        next.set(name, candidate);
        if (reason === undefined) loaded.push(name);
        else fail(name, candidate, reason, others);
      }
    }
  }
  const told = new Set([...loaded, ...unloaded, ...failed.map(({ name }) => name)]);
  const unchanged = [...next.keys()].filter((name) => !told.has(name));
  return {
    next,
    report: {
      loaded: loaded.toSorted(),
      unloaded: unloaded.toSorted(),
      unchanged: unchanged.toSorted(),
      failed: failed.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    },
  };
};

/** Whether the candidate fails where what is served does not. */
const isWorse = (served: ServedModel | undefined, candidate: ServedModel | undefined): boolean => {
  if (served === undefined || candidate === undefined || served.ready.length === 0) return false;
  const failedBefore = new Set(served.failed.map(({ version }) => version));
  return (
    candidate.problem !== undefined || candidate.failed.some(({ version }) => !failedBefore.has(version))
  );
};

/** The models of a group that fail by themselves, not for want of another one that fails. */
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

/** What goes on as it is; a model that is new fails with its group. */
const keep = (
  name: string,
  served: ServedModel | undefined,
  files: ModelFiles | undefined,
  reason: PipelineError,
): ServedModel => ({
  ...(served ?? { name, ready: [], failed: [], problem: reason, files: { shared: "", versions: new Map() } }),
  refused: { files, reason },
});

const waiting = (name: string, roots: readonly string[]): PipelineError =>
  new PipelineError(
    "model/unavailable",
    `model '${name}' stays unchanged: it changes together with ${roots.map((root) => `'${root}'`).join(", ")}, which cannot be loaded`,
  );
