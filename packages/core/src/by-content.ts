/**
 * `make` with a cache of its last `most` results: a build reads the same files several times, and a watching
 * server's next build reads them again. Contents are compared byte by byte.
 */
export const byContent = <T>(
  make: (bytes: Uint8Array) => T,
  most: number = 2,
): ((bytes: Uint8Array) => T) => {
  let known: readonly { readonly bytes: Uint8Array; readonly made: T }[] = [];
  return (bytes) => {
    const found = known.find((one) => isSame(one.bytes, bytes)) ?? { bytes, made: make(bytes) };
    known = [found, ...known.filter((one) => one !== found)].slice(0, most);
    return found.made;
  };
};

const isSame = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false;
  return true;
};
