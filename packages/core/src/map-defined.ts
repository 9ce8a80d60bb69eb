/** Key → value, for the keys that have a value. */
export const mapDefined = <K, V>(keys: Iterable<K>, valueOf: (key: K) => V | undefined): Map<K, V> => {
  const found = new Map<K, V>();
  for (const key of keys) {
    const value = valueOf(key);
    if (value !== undefined) found.set(key, value);
  }
  return found;
};
