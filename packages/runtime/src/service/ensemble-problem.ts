import { ensembleRefusal } from "@tritype/check/refusals";
import { defaultRelease, type ModelConfig } from "@tritype/triton";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import { stepModels } from "./load-order.ts";
import { type ModelTable, reasonOf, type ServedModel } from "./model-table.ts";

/** The models that steps can name, apart from what is served of them. */
export interface KnownModels {
  /** undefined: there is no such model. */
  configOf(name: string): ModelConfig | undefined;
  /** Why the last load of the model failed; undefined when it did not, or when only the table says so. */
  problemOf(name: string): string | undefined;
}

/**
 * Why Triton would not serve an ensemble over the models of `table`; undefined when it would.
 * Source: `ModelRepositoryManager` of Triton core (connect dependencies, check node).
 */
export const ensembleProblem = (
  config: ModelConfig,
  table: ModelTable,
  known: KnownModels,
): string | undefined => {
  const ensemble = config.name ?? "";
  const absent = stepModels(config)
    .filter((step) => step !== "")
    .filter((step) => known.configOf(step) === undefined || table.get(step)?.problem !== undefined)
    .toSorted();
  if (absent.length > 0) {
    const reasons = absent.flatMap((step) => {
      const problem = table.get(step)?.problem;
      return problem === undefined ? [] : [`${step}: ${problem.message}`];
    });
    const why = reasons.length === 0 ? "" : ` (${reasons.join("; ")})`;
    return `ensemble ${ensemble} contains models that are not available or ambiguous: ${absent.join(", ")}${why}`;
  }
  for (const { model_name: step = "", model_version: version = 0 } of config.ensemble_scheduling?.step ??
    []) {
    if (step === "") continue;
    const problem = stepProblem(step, version, table.get(step), known);
    if (problem !== undefined) return `ensemble '${ensemble}' depends on '${step}' ${problem}`;
  }
  return membersRefusal(config, table);
};

const stepProblem = (
  step: string,
  version: number | string,
  member: ServedModel | undefined,
  { configOf, problemOf }: KnownModels,
): string | undefined => {
  const problem = problemOf(step);
  if (problem !== undefined && isEnsemble(configOf(step) ?? {}))
    return `which is not valid. Model '${step}' failed with error: ${problem}`;
  const ready = member?.ready ?? [];
  if (ready.length === 0)
    return `which has no loaded version. Model '${step}' loading failed with error: ${problem ?? lastFailure(member)}`;
  if (version !== -1 && !ready.some((one) => one.version === String(version)))
    return `whose required version ${version} is not loaded.`;
  return undefined;
};

const lastFailure = (member: ServedModel | undefined): string =>
  member === undefined
    ? ""
    : `version ${member.failed.at(-1)?.version ?? "1"} is at UNAVAILABLE state: ${reasonOf(member)?.message ?? ""};`;

const membersRefusal = (config: ModelConfig, table: ModelTable): string | undefined => {
  const members = stepModels(config).flatMap((step) => {
    const ready = table.get(step)?.ready ?? [];
    const latest = ready.at(-1)?.config;
    return latest === undefined
      ? []
      : [[step, { config: latest, versions: ready.map(({ version }) => version) }] as const];
  });
  const ensemble = { name: config.name ?? "", written: config };
  return ensembleRefusal(ensemble, new Map(members), { release: defaultRelease })?.reason;
};
