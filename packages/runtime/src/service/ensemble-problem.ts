import { ensembleRefusal } from "@tritype/check/refusals";
import { defaultRelease, type ModelConfig, stepModels } from "@tritype/triton";
import { isEnsemble } from "../ensemble/ensemble-plan.ts";
import type { ModelTable } from "./model-table.ts";
import { loadProblem } from "./repository-index.ts";

/**
 * Why Triton would not serve an ensemble of the models in `table`; undefined if it would. Source:
 * `ModelRepositoryManager` of Triton core (connect dependencies, check node).
 * @param configs Configurations of the models that steps can name.
 * @param problemOf Why the last load of a model failed, if more is known than the table contains.
 */
export const ensembleProblem = (
  config: ModelConfig,
  table: ModelTable,
  configs: ReadonlyMap<string, ModelConfig>,
  problemOf: (model: string) => string | undefined,
): string | undefined => {
  const ensemble = config.name ?? "";
  const absent = stepModels(config).find((step) => step !== "" && !configs.has(step));
  if (absent !== undefined) {
    const problem = table.get(absent)?.problem;
    const why = problem === undefined ? "" : ` (${absent}: ${problem.message})`;
    return `ensemble ${ensemble} contains models that are not available or ambiguous: ${absent}${why}`;
  }
  for (const { model_name: step = "", model_version: version = 0 } of config.ensemble_scheduling?.step ??
    []) {
    if (step === "") continue;
    const uses = `ensemble '${ensemble}' depends on '${step}'`;
    const member = table.get(step);
    const ready = member?.ready ?? [];
    const problem = problemOf(step) ?? (member && ready.length === 0 ? loadProblem(member) : undefined);
    if (problem !== undefined && isEnsemble(configs.get(step) ?? {}))
      return `${uses} which is not valid. Model '${step}' failed with error: ${problem}`;
    if (ready.length === 0)
      return `${uses} which has no loaded version. Model '${step}' loading failed with error: ${problem ?? ""}`;
    if (version !== -1 && !ready.some((one) => one.version === String(version)))
      return `${uses} whose required version ${version} is not loaded.`;
  }
  return membersRefusal(config, table);
};

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
