import type { ModelVersionPolicy } from "./generated/model-config.ts";
import { servedVersions } from "./served-versions.ts";

/**
 * The versions that the policy serves among a model's folder names, ascending. A name that is not a number, or that has
 * a leading zero, is not a version.
 */
export const versionsToServe = (
  folders: readonly string[],
  policy: ModelVersionPolicy | undefined,
): readonly string[] => servedVersions(folders.filter(isVersion).toSorted(byVersion), policy);

/** Orders versions by number; those with 19 digits are not exact as doubles. */
export const byVersion = (a: string, b: string): number => Number(BigInt(a) - BigInt(b));

/**
 * Triton also accepts `1abc` as version 1, and then fails because the folder `1` is missing. A number of more than 63
 * bits crashes it.
 */
const isVersion = (name: string): boolean => /^(0|[1-9][0-9]*)$/.test(name) && BigInt(name) < 2n ** 63n;
