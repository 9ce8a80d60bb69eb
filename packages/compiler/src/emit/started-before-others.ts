import { startGroups } from "../graph/start-groups.ts";
import type { EnsemblePlan } from "./plan-ensemble.ts";

/**
 * The models that some ensemble may start right before another of its steps, in one go: all but the last of each group. Triton
 * starts the steps of a group in the order of the plan, so that the last cannot fail before the others have started. With an
 * ensemble of the plans, what it runs is among them.
 * @param plans By name of the ensemble.
 */
export const startedBeforeOthers = (plans: ReadonlyMap<string, EnsemblePlan>): ReadonlySet<string> => {
  const found = new Set(
    [...plans.values()].flatMap(({ calls }) =>
      startGroups(calls).flatMap((group) => group.slice(0, -1).map(({ model }) => model)),
    ),
  );
  // A set visits what is added while it is visited.
  for (const model of found) for (const { model: member } of plans.get(model)?.calls ?? []) found.add(member);
  return found;
};
