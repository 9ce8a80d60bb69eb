import { type ModelVersionPolicy, servedVersions } from "@tritype/triton";

/**
 * The versions that the policy serves among a model's folder names, ascending. A name that is not a number, or that has
 * a leading zero, is not a version.
 */
export const versionsToServe = (
  folders: readonly string[],
  policy: ModelVersionPolicy | undefined,
): readonly string[] =>
  servedVersions(
    folders.filter(isVersion).toSorted((a, b) => Number(a) - Number(b)),
    policy,
  );

/** Triton also accepts `1abc` as version 1, and then fails because the folder `1` is missing. */
const isVersion = (name: string): boolean => /^(0|[1-9][0-9]{0,17})$/.test(name);
