import type { Diagnostic, StepDefinition } from "@tritype/core";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { givenFields, profilesOf } from "../profiles/in-profile.ts";

export type MemberFields = Readonly<Record<string, unknown>>;
export const membersOf = (ensemble: StepDefinition): MemberFields =>
  (ensemble.options["members"] ?? {}) as MemberFields;

/** The `members` fields of the ensembles that call the step, which must agree. */
export const memberDefaults = (
  step: StepDefinition,
  callers: readonly StepDefinition[],
): { readonly fields: MemberFields; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = [];
  /** The fields without a profile, which has the name "", and in each profile. */
  const merged = new Map<string, Record<string, unknown>>();
  for (const ensemble of callers)
    for (const [profile, fields] of levelsOf(membersOf(ensemble))) {
      const known = merged.get(profile) ?? {};
      merged.set(profile, known);
      for (const [field, value] of Object.entries(givenFields(fields))) {
        const option = profile === "" ? field : `profiles.${profile}.${field}`;
        if (field in known && !isEqual(known[field], value) && !decides(step, profile, field))
          diagnostics.push(
            diagnose("model/bad-field", {
              with: {
                step: step.name,
                problem: `the ensembles that call it give different \`members.${option}\``,
              },
              labels: [...definedAt(step), ...definedAt(ensemble, "one of the ensembles")],
              help: `set \`${option}\` on the step itself`,
            }),
          );
        known[field] = value;
      }
    }
  const { "": fields, ...profiles } = Object.fromEntries(merged);
  return { fields: { ...fields, profiles }, diagnostics };
};

const levelsOf = (members: MemberFields): readonly (readonly [profile: string, fields: MemberFields])[] => {
  const { profiles: _, ...fields } = members;
  return [["", fields], ...Object.entries(profilesOf(members))];
};

/** Whether the step itself sets the field, so that `members` have no effect. */
const decides = (step: StepDefinition, profile: string, field: string): boolean =>
  [step.options, profilesOf(step.options)[profile]].some((own) => own?.[field] !== undefined);

/** Whether two fields are equal, in any order of their keys. */
const isEqual = (a: unknown, b: unknown): boolean => {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  const [left, right] = [givenFields({ ...a }), givenFields({ ...b })];
  const keys = Object.keys(left);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    keys.length === Object.keys(right).length &&
    keys.every((key) => isEqual(left[key], right[key]))
  );
};
