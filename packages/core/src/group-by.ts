/** Key → the values that have it, in their original order. */
export const groupBy = <T>(
  entries: readonly (readonly [key: string, value: T])[],
): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const [key, value] of entries) {
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [value]);
    else known.push(value);
  }
  return groups;
};
