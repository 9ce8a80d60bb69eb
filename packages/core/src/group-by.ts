/** Key → the values that have it, in their original order. */
export const groupBy = <Key, T>(
  entries: readonly (readonly [key: Key, value: T])[],
): ReadonlyMap<Key, readonly T[]> => {
  const groups = new Map<Key, T[]>();
  for (const [key, value] of entries) {
    const known = groups.get(key);
    if (known === undefined) groups.set(key, [value]);
    else known.push(value);
  }
  return groups;
};
