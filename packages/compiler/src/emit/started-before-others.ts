import { startGroups } from "../graph/start-groups.ts";
import type { EnsemblePlan } from "./plan-ensemble.ts";

/**
 * The models that an ensemble may start in a group, right before another of its steps: all but the last model of each
 * group. Triton starts the steps of a group in the order of the plan, so that the last cannot fail before the others
 * have started. Includes the models that an ensemble with a plan runs.
 * @param plans Plans by the name of their ensemble.
 */
export const startedBeforeOthers = (plans: ReadonlyMap<string, EnsemblePlan>): ReadonlySet<string> => {
  const found = new Set(
    [...plans.values()].flatMap(({ calls }) =>
      startGroups(calls).flatMap((group) => group.slice(0, -1).map(({ model }) => model)),
    ),
  );
  // Iterating a set also visits elements added during the iteration.
  for (const model of found) for (const { model: member } of plans.get(model)?.calls ?? []) found.add(member);
  return found;
};
