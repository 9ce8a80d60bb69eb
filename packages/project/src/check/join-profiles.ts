import type { Diagnostic, Span } from "@tritype/core";

/** What the rules say of one of a build's configurations of all models. */
export interface ProfileFindings {
  /** undefined: the configuration that is served without a profile. */
  readonly profile: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Each finding once. A place in the author's files is the same place in every profile; a note says which profiles a finding is about,
 * where it is not all of them.
 */
export const joinProfiles = (
  found: readonly ProfileFindings[],
  isAuthors: (span: Span) => boolean,
): readonly Diagnostic[] => {
  const joined = new Map<
    string,
    { readonly first: Diagnostic; readonly profiles: Set<string | undefined> }
  >();
  for (const { profile, diagnostics } of found)
    for (const one of diagnostics) {
      const authors = one.labels.filter(({ span }) => isAuthors(span));
      const key = JSON.stringify(authors.length === 0 ? one : { ...one, labels: authors });
      const known = joined.get(key);
      if (known === undefined) joined.set(key, { first: one, profiles: new Set([profile]) });
      else known.profiles.add(profile);
    }
  return [...joined.values()].map(({ first, profiles }) =>
    profiles.size === found.length
      ? first
      : { ...first, notes: [...first.notes, `only ${[...profiles].map(shown).join(" and ")}`] },
  );
};

const shown = (profile: string | undefined): string =>
  profile === undefined ? "without a profile" : `with the profile \`${profile}\``;
