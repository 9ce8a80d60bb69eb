import { dirname } from "node:path";
import { readManifest } from "@tritype/project";

/** A model whose code calls other models, such as a flow. */
export interface CallsByCode {
  readonly model: string;
  /** Includes the models that the code of called models calls. */
  readonly calls: readonly string[];
}

/**
 * The given models whose code calls other models, according to the manifest next to the repository. Unlike `modelsRunBy`, this names
 * the models that the code itself calls first, and leaves out the steps of ensembles, because users look for the calls in their code.
 */
export const callsByCode = (repository: string, models: readonly string[]): readonly CallsByCode[] => {
  const callsOf = readCalls(repository);
  return models.flatMap((model) => {
    const calls = new Set(callsOf.get(model));
    // The loop also visits the names that it adds.
    for (const called of calls) for (const next of callsOf.get(called) ?? []) calls.add(next);
    return calls.size === 0 ? [] : [{ model, calls: [...calls] }];
  });
};

/** The models that each model's code calls directly. */
export const readCalls = (repository: string): ReadonlyMap<string, readonly string[]> =>
  new Map((readManifest(dirname(repository))?.models ?? []).map(({ name, calls = [] }) => [name, calls]));

/** The reason why a plan with this model is less reliable. */
export const caveatOf = ({ model, calls }: CallsByCode): string => {
  const names = calls.map((name) => `\`${name}\``);
  const listed = [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
  return `\`${model}\` calls ${listed} in its code. Its time was measured without load; under load, these calls wait in queues, share batches and compete for processors, which is not simulated. Check the plan with pipeline bench --rate.`;
};
