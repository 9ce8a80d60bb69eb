import type { ModelVersionPolicy } from "@tritype/triton";

/**
 * The versions that the policy serves, of the folder names of a model, ascending. Names that are no number, or begin with a
 * zero, are no versions. Default policy: the latest.
 * Source: `ModelLifeCycle::VersionsToLoad` of Triton core.
 */
export const versionsToServe = (
  folders: readonly string[],
  policy: ModelVersionPolicy | undefined,
): readonly string[] => {
  const present = folders.filter(isVersion).toSorted((a, b) => Number(a) - Number(b));
  if (policy?.specific !== undefined) {
    const wanted = new Set((policy.specific.versions ?? []).map(String));
    return present.filter((version) => wanted.has(version));
  }
  if (policy === undefined) return present.slice(-1);
  if (policy.latest === undefined) return present;
  // A `latest` without a number is 0 in Triton, and serves nothing.
  const count = policy.latest.num_versions ?? 0;
  return count === 0 ? [] : present.slice(-count);
};

/** Triton also takes `1abc` for version 1, and then fails for want of the folder `1`. */
const isVersion = (name: string): boolean => /^(0|[1-9][0-9]{0,17})$/.test(name);
