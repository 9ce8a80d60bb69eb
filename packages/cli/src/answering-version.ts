/**
 * The version that answers requests without one: the highest. Undefined if a server lists no versions, or several that
 * are not all numbers.
 */
export const answeringVersion = (versions: readonly string[]): string | undefined =>
  versions.length > 1 && !versions.every((version) => /^\d+$/.test(version))
    ? undefined
    : versions.reduce<string | undefined>(
        (highest, version) =>
          highest === undefined || BigInt(version) > BigInt(highest) ? version : highest,
        undefined,
      );
