import type { Diagnostic } from "@tritype/core";

/** What the rules say of one of a build's configurations of all models. */
export interface ProfileFindings {
  /** undefined: the configuration that is served without a profile. */
  readonly profile: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Each finding once. One in a Python file, which all profiles share, is the same finding whichever configuration it is held against; a
 * note says which, where it is not all of them.
 */
export const joinProfiles = (
  found: readonly ProfileFindings[],
  isPython: (file: string) => boolean,
): readonly Diagnostic[] => {
  const joined = new Map<
    string,
    { readonly first: Diagnostic; readonly profiles: Set<string | undefined> }
  >();
  for (const { profile, diagnostics } of found)
    for (const one of diagnostics) {
      const inPython = one.labels.filter(({ span }) => isPython(span.file));
      const key = JSON.stringify(inPython.length === 0 ? one : { ...one, labels: inPython });
      const known = joined.get(key);
      if (known === undefined) joined.set(key, { first: one, profiles: new Set([profile]) });
      else known.profiles.add(profile);
    }
  return [...joined.values()].map(({ first, profiles }) =>
    profiles.size === found.length || !first.labels.some(({ span }) => isPython(span.file))
      ? first
      : { ...first, notes: [...first.notes, `only ${[...profiles].map(shown).join(" and ")}`] },
  );
};

const shown = (profile: string | undefined): string =>
  profile === undefined ? "without a profile" : `with the profile \`${profile}\``;
