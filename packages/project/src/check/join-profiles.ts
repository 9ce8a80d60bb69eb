import type { Diagnostic, Span } from "@tritype/core";

/** The findings for one configuration of a build with all its models. */
export interface ProfileFindings {
  /** undefined means the configuration that is served without a profile. */
  readonly profile: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Settings that one profile may leave unused because another one uses them: they are only reported if no profile does.
 */
const usedByOthers: ReadonlySet<string> = new Set(["accelerator/without-gpu"]);

/**
 * Lists each finding once. A position in the user's files is the same in every profile. If a finding does not apply to
 * all profiles, a note names them.
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
  return [...joined.values()].flatMap(({ first, profiles }) => {
    if (profiles.size === found.length) return [first];
    if (usedByOthers.has(first.code)) return [];
    return [{ ...first, notes: [...first.notes, `only ${[...profiles].map(shown).join(" and ")}`] }];
  });
};

const shown = (profile: string | undefined): string =>
  profile === undefined ? "without a profile" : `with the profile \`${profile}\``;
