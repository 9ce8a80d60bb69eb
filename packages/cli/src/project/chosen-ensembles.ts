import { unknownName } from "../unknown-name.ts";

/** The named ensembles, or all of them. @throws PipelineError `usage/invalid` for an unknown name */
export const chosenEnsembles = (
  named: readonly string[],
  ensembles: readonly string[],
): readonly string[] => {
  const unknown = named.find((model) => !ensembles.includes(model));
  if (unknown !== undefined) throw unknownName("ensemble", unknown, ensembles);
  return named.length > 0 ? named : ensembles;
};
