import type { ModelConfig } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import { ensembleRules } from "../ensemble-rules/ensemble-rules.ts";
import { resolveEnsembles } from "../ensemble-rules/resolve-ensembles.ts";
import type { CheckedModel, RepositoryContext } from "../model-context.ts";
import type { Entry } from "../repository-host.ts";
import { makeContext } from "../model/make-context.ts";
import type { Refusal } from "./model-refusals.ts";

/** A model that an ensemble's steps can call. */
export interface LoadedMember {
  /** The configuration of the latest version, as completed by the backend. */
  readonly config: ModelConfig;
  /** Versions that are ready. */
  readonly versions: readonly string[];
}

/**
 * The first reason why Triton refuses an ensemble because of its members; undefined if there is none. `pollRefusal` reports faults
 * of the ensemble itself. @param members The loaded models of its steps, by name.
 */
export const ensembleRefusal = (
  ensemble: { readonly name: string; readonly written: ModelConfig },
  members: ReadonlyMap<string, LoadedMember>,
  options: Pick<CheckOptions, "release">,
): Refusal | undefined => {
  // The members are already completed, and their files are already checked.
  const loaded: CheckOptions = { ...options, strict: true, configsOnly: true };
  const models = new Map([...members].map(([name, member]) => [name, checkedMember(name, member, loaded)]));
  models.set(ensemble.name, checked(ensemble.name, ensemble.written, ["1"], loaded));
  const repository: RepositoryContext = { models, unreadable: new Set(), options: loaded };
  const [first] = resolveEnsembles(repository).get(ensemble.name)?.problems ?? [];
  const rule = ensembleRules.find((one) => one.scope === "repository" && one.problem === first?.kind);
  if (first === undefined || rule?.scope !== "repository") return undefined;
  const [found] = rule.check(repository);
  return found && { code: found.code, reason: found.words ?? found.message, help: found.help };
};

/** Once loaded, an ensemble used as a step is a model like any other. */
const checkedMember = (
  name: string,
  { config, versions }: LoadedMember,
  options: CheckOptions,
): CheckedModel => {
  const { ensemble_scheduling: _steps, platform: _platform, model_warmup: _warmup, ...plain } = config;
  return checked(name, { ...plain, backend: config.backend || name }, versions, options);
};

const checked = (
  name: string,
  written: ModelConfig,
  versions: readonly string[],
  options: CheckOptions,
): CheckedModel => {
  const folders = versions.map((version): Entry => ({ name: version, kind: "folder", size: 0 }));
  const list = (folder: string) => (folder === "" ? folders : undefined);
  const model = makeContext({ name, file: name, text: "", written, list, read: () => undefined }, options);
  const { config } = model;
  return { model, refused: undefined, completed: config, assumed: config };
};
