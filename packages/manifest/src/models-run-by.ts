import type { Manifest } from "./manifest.ts";

/**
 * Finds a model and all models that a request to it runs, in order: the steps of ensembles, and the models that code calls.
 * @param stepsOf The models of an ensemble's steps, according to its configuration; none for other models.
 */
export const modelsRunBy = (
  { models }: Pick<Manifest, "models">,
  stepsOf: (model: string) => readonly string[],
): ((model: string) => ReadonlySet<string>) => {
  const callsOf = new Map(models.map(({ name, calls = [] }) => [name, calls]));
  return (model) => {
    const run = new Set<string>();
    const visit = (name: string): void => {
      if (run.has(name)) return;
      run.add(name);
      [...stepsOf(name), ...(callsOf.get(name) ?? [])].forEach(visit);
    };
    visit(model);
    return run;
  };
};
