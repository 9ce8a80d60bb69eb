import type { Diagnostic, StepDefinition } from "@tritype/core";
import { definedAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";

export type MemberFields = Readonly<Record<string, unknown>>;
export const membersOf = (ensemble: StepDefinition): MemberFields =>
  (ensemble.options["members"] ?? {}) as MemberFields;

/** The `members` fields of the ensembles that call the step, which must agree. */
export const memberDefaults = (
  step: StepDefinition,
  callers: readonly StepDefinition[],
): { readonly fields: MemberFields; readonly diagnostics: readonly Diagnostic[] } => {
  const diagnostics: Diagnostic[] = [];
  const defaults: Record<string, unknown> = {};
  for (const ensemble of callers)
    for (const [field, value] of Object.entries(membersOf(ensemble))) {
      if (
        field in defaults &&
        JSON.stringify(defaults[field]) !== JSON.stringify(value) &&
        step.options[field] === undefined
      )
        diagnostics.push(
          diagnose("model/bad-field", {
            with: {
              step: step.name,
              problem: `the ensembles that call it give different \`members.${field}\``,
            },
            labels: [...definedAt(step), ...definedAt(ensemble, "one of the ensembles")],
            help: `set \`${field}\` on the step itself`,
          }),
        );
      defaults[field] = value;
    }
  return { fields: defaults, diagnostics };
};
