import { usersOf } from "./users-of.ts";

/**
 * The models to reload when models change: the changed ones and the ensembles that use them directly or indirectly, in
 * groups that do not depend on each other. A group is replaced as a whole or not at all.
 * @param uses Ensemble → the models that it uses, before or after the change.
 */
export const affectedGroups = (
  changed: Iterable<string>,
  uses: ReadonlyMap<string, readonly string[]>,
): readonly ReadonlySet<string>[] => {
  const models = new Set(changed);
  const affected = new Set([...models, ...usersOf(models, uses)]);
  const linked = new Map<string, string[]>();
  const link = (a: string, b: string): void => void linked.set(a, [...(linked.get(a) ?? []), b]);
  for (const [ensemble, models] of uses)
    for (const model of models)
      if (affected.has(ensemble) && affected.has(model)) {
        link(ensemble, model);
        link(model, ensemble);
      }
  const groups: Set<string>[] = [];
  const grouped = new Set<string>();
  for (const start of affected) {
    if (grouped.has(start)) continue;
    const group = new Set([start]);
    for (const member of group) for (const next of linked.get(member) ?? []) group.add(next);
    for (const member of group) grouped.add(member);
    groups.push(group);
  }
  return groups;
};
