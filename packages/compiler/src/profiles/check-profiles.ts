import { type Diagnostic, guessHelp, isObject, type StepDefinition } from "@tritype/core";
import { writtenAt } from "../check/check-declaration.ts";
import { diagnose } from "../diagnostics.ts";
import { givenFields, type Profiles } from "./in-profile.ts";

const ofSteps: readonly string[] = [
  "instanceGroup",
  "optimization",
  "parameters",
  "dynamicBatching",
  "responseCache",
  "metricTags",
  "modelMetrics",
];
const ofEnsembles: readonly string[] = ["parameters", "responseCache", "metricTags"];

/** The fields of models that a profile may override, unless the models set them. */
const memberProfileFields: readonly string[] = ["instanceGroup", "dynamicBatching"];

/**
 * Checks the profile settings of a step or ensemble against the project's profiles, and against the fields that
 * profiles may override.
 * @param ofKind The additional fields that the step's kind may override.
 */
export const checkProfiles = (
  definition: StepDefinition,
  project: Profiles,
  ofKind: readonly string[] = [],
): readonly Diagnostic[] => {
  const ensemble = definition.kind === "ensemble";
  const members = definition.options["members"] as { readonly profiles?: unknown } | undefined;
  const known = Object.keys(project);
  return [
    ...checkPlace(
      definition,
      "profiles",
      definition.options["profiles"],
      known,
      ensemble ? ofEnsembles : [...ofSteps, ...ofKind],
    ),
    ...checkPlace(definition, "members.profiles", members?.profiles, known, memberProfileFields),
  ];
};

const checkPlace = (
  definition: StepDefinition,
  place: string,
  given: unknown,
  known: readonly string[],
  fields: readonly string[],
): readonly Diagnostic[] => {
  const inside = place.split(".");
  const at = { labels: writtenAt(definition, ...inside) };
  const step = definition.name;
  if (given === undefined) return [];
  if (!isObject(given)) return [diagnose("profile/no-fields", { with: { step, place }, ...at })];
  return Object.entries(given).flatMap(([profile, values]): readonly Diagnostic[] => {
    if (!known.includes(profile)) {
      const help = guessHelp(profile, known, howToDeclare(profile, known));
      return [
        diagnose("profile/unknown", {
          with: { step, profile },
          labels: writtenAt(definition, ...inside, profile),
          help,
        }),
      ];
    }
    if (!isObject(values))
      return [
        diagnose("profile/no-fields", {
          with: { step, place: `${place}.${profile}` },
          labels: writtenAt(definition, ...inside, profile),
        }),
      ];
    return Object.keys(givenFields(values))
      .filter((field) => !fields.includes(field))
      .map((field) => {
        const help = guessHelp(field, fields, `a profile can override ${fields.join(", ")}`);
        return diagnose("profile/fixed-field", {
          with: { step, profile, field },
          labels: writtenAt(definition, ...inside, profile, field),
          help,
        });
      });
  });
};

const howToDeclare = (profile: string, known: readonly string[]): string =>
  known.length === 0
    ? `declare it in pipeline.config.ts: \`profiles: { ${JSON.stringify(profile)}: {} }\``
    : `pipeline.config.ts declares ${known.join(", ")}`;
