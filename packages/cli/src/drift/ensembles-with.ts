import { modelsRunBy } from "@tritype/manifest";
import type { CompiledProject } from "@tritype/project";
import { stepModels } from "@tritype/triton";

/** The ensembles and flows of a project whose requests reach one of the models, directly or through other models. */
export const ensemblesWith = (
  models: ReadonlySet<string>,
  { ensembles, compilation: { emitted } }: Pick<CompiledProject, "ensembles" | "compilation">,
): readonly string[] => {
  const configs = new Map(emitted.models.map((model) => [model.name, model.configs.get(undefined)?.config]));
  const runBy = modelsRunBy(emitted.manifest ?? { models: [] }, (model) =>
    stepModels(configs.get(model) ?? {}),
  );
  return ensembles.filter((ensemble) => {
    const run = runBy(ensemble);
    return [...models].some((model) => run.has(model));
  });
};
