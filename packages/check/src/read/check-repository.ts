import type { Diagnostic } from "@tritype/core";
import { isDecoupled, type ModelConfig } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import type { CheckedModel, ModelContext, RepositoryContext } from "../model-context.ts";
import { ensembleSteps } from "../model/ensemble-graph.ts";
import { completeByBackend } from "../completion/complete-by-backend.ts";
import { rules } from "../registry.ts";
import type { RepositoryHost } from "../repository-host.ts";
import { appliesTo, refusedAt } from "../rule.ts";
import { makeContext } from "../model/make-context.ts";
import type { MountedRepository } from "./mounted-repository.ts";
import { brokenLinks, readModel, top, unreadable } from "./read-model.ts";
import { sortFindings } from "./sort-findings.ts";
import { readConfigBytes, readConfigText } from "./read-text.ts";
import { hideOutside, watchOutsideReads, withoutContent } from "./outside-links.ts";
import { diagnoseReading } from "./reading-entries.ts";

/** The findings, sorted by position, and the readable models. */
export interface CheckedRepository {
  readonly diagnostics: readonly Diagnostic[];
  readonly models: ReadonlyMap<string, CheckedModel>;
}

/** Checks a model repository, in which every folder is a model. Never throws because of its contents. */
export const checkRepository = (host: RepositoryHost, options: CheckOptions): CheckedRepository =>
  checkRepositories([{ host, prefix: "" }], options);

/**
 * Checks repositories that one server loads together. Names must be unique across them, and ensembles find steps in all
 * of them.
 */
export const checkRepositories = (
  given: readonly MountedRepository[],
  options: CheckOptions,
): CheckedRepository => {
  const reads = given.map(watchOutsideReads);
  const repositories = reads.map(({ repository }) => repository);
  const found: (readonly Diagnostic[])[] = [];
  const folders = new Map<string, MountedRepository[]>();
  for (const repository of repositories) {
    const entries = repository.host.list("");
    if (entries === undefined) found.push([unreadable(repository.prefix.replace(/\/$/, "") || ".")]);
    else if (options.configsOnly !== true)
      found.push(brokenLinks(entries, repository.prefix.replace(/\/$/, "")));
    for (const { name, kind } of entries ?? [])
      if (kind === "folder") folders.set(name, [...(folders.get(name) ?? []), repository]);
  }
  const models = new Map<string, CheckedModel>();
  const unread = new Set<string>();
  for (const [name, [repository, ...others]] of folders) {
    if (repository === undefined) continue;
    const read =
      others.length > 0
        ? { diagnostics: [duplicate(name, repository, others)] }
        : readModel(repository, name, options);
    if ("model" in read) {
      const own = checkModel(read.model);
      models.set(name, own.checked);
      found.push(own.diagnostics);
    } else {
      unread.add(name);
      found.push(read.diagnostics);
    }
  }
  const context: RepositoryContext = { models: completeEnsembles(models), unreadable: unread, options };
  found.push(checkTogether(context));
  const diagnostics = hideOutside(found.flat(), reads, context);
  return { diagnostics: sortFindings(diagnostics), models: context.models };
};

const checkTogether = (context: RepositoryContext): readonly Diagnostic[] =>
  rules.flatMap((rule) =>
    rule.scope === "repository" && appliesTo(rule.entry, context.options.release.container)
      ? rule.check(context)
      : [],
  );

export interface ConfigPlace {
  readonly file: string;
  /** Name of the model; if absent, any name in the configuration is accepted. */
  readonly name?: string;
  /** Whether the file is a link that leads out of its folder; if so, findings do not quote it. */
  readonly leaves?: boolean;
}

/** Checks the text or bytes of a single configuration. */
export const checkConfigText = (
  content: string | Uint8Array,
  place: ConfigPlace,
  options: CheckOptions,
): CheckedRepository => {
  const checked = checkText(content, place, options);
  return place.leaves === true
    ? { ...checked, diagnostics: checked.diagnostics.map((one) => withoutContent(one, place.file)) }
    : checked;
};

const checkText = (
  content: string | Uint8Array,
  { file, name }: ConfigPlace,
  options: CheckOptions,
): CheckedRepository => {
  const alone = { ...options, configsOnly: true };
  const read =
    typeof content === "string"
      ? readConfigText(content, file, alone)
      : readConfigBytes(content, file, alone);
  if ("diagnostics" in read) return { diagnostics: read.diagnostics, models: new Map() };
  const known = name ?? (read.config.name || folderOf(file) || "model");
  const nothing = () => undefined;
  const model = makeContext(
    { name: known, file, text: read.text, written: read.config, list: nothing, read: nothing },
    alone,
  );
  const { checked, diagnostics } = checkModel(model);
  const models = completeEnsembles(new Map([[known, checked]]));
  // The members are unknown if only an ensemble's configuration is checked.
  const together =
    ensembleSteps(model.config) === undefined
      ? checkTogether({ models, unreadable: new Set(), options: alone })
      : [];
  return { diagnostics: sortFindings([...diagnostics, ...together]), models };
};

const folderOf = (file: string): string | undefined => /([^/]+)\/[^/]*$/.exec(file)?.[1];

const duplicate = (
  name: string,
  first: MountedRepository,
  others: readonly MountedRepository[],
): Diagnostic =>
  diagnoseReading("repository/duplicate-model", {
    with: { name },
    labels: [first, ...others].map(({ prefix }) => top(`${prefix}${name}`, "one of them")),
  });

const checkModel = (
  model: ModelContext,
): { readonly checked: CheckedModel; readonly diagnostics: readonly Diagnostic[] } => {
  const all: (readonly Diagnostic[])[] = [];
  let refused: CheckedModel["refused"];
  let disputed = false;
  const { sound } = model.options;
  const isSound = sound?.has(model.name) === true;
  for (const rule of isSound ? [] : rules) {
    if (rule.scope !== "model" || !appliesTo(rule.entry, model.options.release.container)) continue;
    const found = rule.check(model);
    if (found.length > 0 && refused !== "poll")
      refused = refusedAt(rule.entry, model.options.strict) ?? refused;
    disputed ||= found.length > 0 && rule.entry.disputesTensors === true;
    all.push(found);
  }
  const diagnostics = all.flat();
  if (!isSound && diagnostics.length === 0) sound?.add(model.name);
  const backend = completeByBackend(model);
  if ("refused" in backend)
    return {
      checked: { model, refused: refused ?? "load", completed: undefined, assumed: undefined },
      diagnostics,
    };
  const { config } = backend;
  return {
    checked: {
      model,
      refused,
      completed: refused === undefined ? config : undefined,
      assumed: disputed ? undefined : config,
    },
    diagnostics,
  };
};

/** An ensemble is decoupled when one of its steps is. */
const completeEnsembles = (models: ReadonlyMap<string, CheckedModel>): ReadonlyMap<string, CheckedModel> => {
  const decoupled = decoupledModels(models);
  const complete = (name: string, completed: ModelConfig): ModelConfig =>
    completed.ensemble_scheduling
      ? { ...completed, model_transaction_policy: { decoupled: decoupled.has(name) } }
      : completed;
  return new Map(
    [...models].map(([name, checked]) => [
      name,
      {
        ...checked,
        completed: checked.completed && complete(name, checked.completed),
        assumed: checked.assumed && complete(name, checked.assumed),
      },
    ]),
  );
};

/** The property spreads from the models that declare it to the ensembles that call them, at any depth. */
const decoupledModels = (models: ReadonlyMap<string, CheckedModel>): ReadonlySet<string> => {
  const users = new Map<string, string[]>();
  const found: string[] = [];
  for (const [name, { completed }] of models) {
    const steps = completed?.ensemble_scheduling?.step;
    if (steps === undefined) {
      if (completed !== undefined && isDecoupled(completed)) found.push(name);
      continue;
    }
    for (const { model_name = "" } of steps) {
      const known = users.get(model_name);
      if (known === undefined) users.set(model_name, [name]);
      else known.push(name);
    }
  }
  const decoupled = new Set(found);
  for (let name = found.pop(); name !== undefined; name = found.pop())
    for (const user of users.get(name) ?? [])
      if (!decoupled.has(user)) {
        decoupled.add(user);
        found.push(user);
      }
  return decoupled;
};
