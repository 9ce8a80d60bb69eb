import { type ModelConfig, stepModels } from "@tritype/triton";
import { usersOf } from "./users-of.ts";

/** The dependencies of a polled model. */
export interface PolledModel {
  readonly config: ModelConfig;
  /** Whether it was requested by its own name, not only as a member of an ensemble. */
  readonly explicit: boolean;
}
export type PolledModels = ReadonlyMap<string, PolledModel>;

/** The ensembles that use one of the models, directly or through others. */
export const dependents = (models: PolledModels, changed: ReadonlySet<string>): ReadonlySet<string> =>
  usersOf(changed, new Map([...models].map(([name, { config }]) => [name, stepModels(config)])));

/**
 * The models to unload together with a model: the members that were loaded only for it, and their members, unless
 * another ensemble still uses them. Source: `RemoveNodes` of Triton core; its protocol calls them dependents.
 */
export const leavingWith = (models: PolledModels, model: string): ReadonlySet<string> => {
  const leaving = new Set([model]);
  for (const name of leaving) {
    const polled = models.get(name);
    if (polled === undefined) continue;
    for (const step of stepModels(polled.config)) {
      const member = models.get(step);
      const used = [...models].some(
        ([user, { config }]) => !leaving.has(user) && stepModels(config).includes(step),
      );
      if (member !== undefined && !member.explicit && !used) leaving.add(step);
    }
  }
  return leaving;
};
