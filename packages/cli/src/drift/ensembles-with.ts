import type { CompiledProject } from "@tritype/project";

/** The ensembles and flows of a project whose requests reach one of the models, directly or through other models. */
export const ensemblesWith = (
  models: ReadonlySet<string>,
  { ensembles, compilation }: Pick<CompiledProject, "ensembles" | "compilation">,
): readonly string[] => {
  const { build, emitted } = compilation;
  const calls = new Map(build?.manifest.models.map(({ name, calls: names = [] }) => [name, names]));
  const steps = new Map(
    emitted.models.map(({ name, configs }) => {
      const { step = [] } = configs.get(undefined)?.config.ensemble_scheduling ?? {};
      return [name, step.flatMap(({ model_name: called }) => called ?? [])];
    }),
  );
  return ensembles.filter((ensemble) => {
    const reached = new Set([ensemble]);
    // The loop also visits the names that it adds.
    for (const model of reached)
      for (const next of [...(steps.get(model) ?? []), ...(calls.get(model) ?? [])]) reached.add(next);
    return [...models].some((model) => reached.has(model));
  });
};
