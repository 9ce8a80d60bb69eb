import type { ModelVersionPolicy } from "./generated/model-config.ts";

/**
 * The versions that a policy serves, out of those that exist. Default policy: the highest.
 * @param present Ascending.
 * Source: `ModelLifeCycle::VersionsToLoad` of Triton core.
 */
export const servedVersions = <V extends string | number | bigint>(
  present: readonly V[],
  policy: ModelVersionPolicy | undefined,
): readonly V[] => {
  if (policy?.specific !== undefined) {
    const wanted = new Set((policy.specific.versions ?? []).map(String));
    return present.filter((version) => wanted.has(String(version)));
  }
  if (policy === undefined) return present.slice(-1);
  if (policy.latest === undefined) return present;
  // A `latest` policy without a number means 0 in Triton, which serves nothing.
  const count = policy.latest.num_versions ?? 0;
  return count === 0 ? [] : present.slice(-count);
};
