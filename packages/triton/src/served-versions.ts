import type { ModelVersionPolicy } from "./generated/model-config.ts";

/**
 * The versions that a policy serves of those that are there. Default policy: the highest.
 * @param present Ascending.
 * Source: `ModelLifeCycle::VersionsToLoad` of Triton core.
 */
export const servedVersions = <V extends string | number>(
  present: readonly V[],
  policy: ModelVersionPolicy | undefined,
): readonly V[] => {
  if (policy?.specific !== undefined) {
    const wanted = new Set((policy.specific.versions ?? []).map(String));
    return present.filter((version) => wanted.has(String(version)));
  }
  if (policy === undefined) return present.slice(-1);
  if (policy.latest === undefined) return present;
  // A `latest` without a number is 0 in Triton, and serves nothing.
  const count = policy.latest.num_versions ?? 0;
  return count === 0 ? [] : present.slice(-count);
};
