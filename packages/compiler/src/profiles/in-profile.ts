import type { StepDefinition } from "@tritype/core";

type Fields = Readonly<Record<string, unknown>>;

/** Name of a profile → the fields that it overrides, by the DSL's names; null removes a field. */
export type Profiles = Readonly<Record<string, Fields>>;

/** The `profiles` option of a step, an ensemble or its `members`. */
export const profilesOf = (options: Fields): Profiles => (options["profiles"] ?? {}) as Profiles;

/** A definition as configured in one profile. */
export interface Profiled {
  readonly step: StepDefinition;
  /** Values for fields that the definition itself does not set. */
  readonly defaults: Fields;
  /** Names of the fields that the definition itself sets for this profile. */
  readonly own: readonly string[];
}

/**
 * A definition and its defaults in a profile, or without one. The setting closest to the model wins: its own options,
 * then `members`, then the project's settings. At the same level, the profile wins.
 */
export const inProfile = (
  profile: string | undefined,
  step: StepDefinition,
  members: Fields,
  project: Profiles,
): Profiled => {
  if (profile === undefined) return { step, defaults: members, own: [] };
  const own = givenFields(profilesOf(step.options)[profile]);
  return {
    step: { ...step, options: { ...step.options, ...own } },
    defaults: { ...project[profile], ...members, ...profilesOf(members)[profile] },
    own: Object.keys(own),
  };
};

/** The fields that are not undefined: those override nothing. */
export const givenFields = (fields: Fields | null | undefined): Fields =>
  Object.fromEntries(Object.entries(fields ?? {}).filter(([, value]) => value !== undefined));
