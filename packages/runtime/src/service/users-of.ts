/** The ensembles that use one of the models, directly or through others. @param uses Ensemble → the models that it uses. */
export const usersOf = (
  models: ReadonlySet<string>,
  uses: ReadonlyMap<string, readonly string[]>,
): ReadonlySet<string> => {
  const found = new Set<string>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [ensemble, used] of uses)
      if (used.some((model) => models.has(model) || found.has(model))) found.add(ensemble);
  }
  return found;
};
