import {
  type Label,
  type OptionPath,
  type OptionPlace,
  siteSpan,
  type Span,
  type StepDefinition,
} from "@tritype/core";
import { type FieldPath, type ModelConfig, optionName, parseModelConfig } from "@tritype/triton";
import type { EnsembleDefinition } from "../graph/program.ts";
import { optionSpan } from "../graph/read-option-places.ts";
import { type Profiles, profilesOf } from "../profiles/in-profile.ts";
import type { TensorNames } from "../step-kind.ts";
import { type MemberFields, membersOf } from "./member-fields.ts";

/** The DSL's fields that are copied into a model's configuration. */
export const authorFields = [
  "instanceGroup",
  "versionPolicy",
  "optimization",
  "responseCache",
  "parameters",
  "ccModelFilenames",
  "modelTransactionPolicy",
  "modelOperations",
  "modelRepositoryAgents",
  "metricTags",
  "modelMetrics",
  "runtime",
  "dynamicBatching",
  "sequenceBatching",
  "batchInput",
  "batchOutput",
] as const;

/** The origin of a field of a configuration. */
export interface FieldPlace {
  /** Whether the field comes from an option; if not, the compiler derived it. */
  readonly authors: boolean;
  /** Whether the author wrote it in Triton's own text, in `raw`. Default false. */
  readonly raw?: boolean;
  /** The position in the author's source; undefined if unknown. */
  readonly span: Span | undefined;
}

/** The position of a field, by its path in Triton's names. */
export type PlaceOf = (path: FieldPath) => FieldPlace;

/** The option and the definition that a field of the configuration comes from. */
interface Origin {
  /** Default true. */
  readonly authors?: boolean;
  readonly definition: Pick<StepDefinition, "places" | "site">;
  readonly option: OptionPath;
  /** The rest of the field's path, within the option. */
  readonly rest: FieldPath;
}

type OriginOf = (path: FieldPath) => Origin | undefined;

/** A configuration of a model: without a profile, or in one of the project's profiles. */
export interface ServedProfile {
  readonly profile: string | undefined;
  readonly project: ProjectProfiles;
}

/** The project's profiles, and their places in `pipeline.config.ts`. */
export interface ProjectProfiles {
  readonly profiles: Profiles;
  /** Name of a profile → its position, if the source shows it. */
  readonly places: OptionPlace["fields"];
}

/** The position of a field, for a message about a definition. */
export const labelsAt = (definition: StepDefinition, { span }: FieldPlace): readonly Label[] => {
  const defined = siteSpan(definition.site);
  if (span === undefined) return [];
  return [{ span, text: JSON.stringify(span) === JSON.stringify(defined) ? "defined here" : "written here" }];
};

/** The positions in a step's configuration in one profile. @param names The tensors' names in the configuration. */
export const stepPlaces = (
  step: StepDefinition,
  callers: readonly StepDefinition[],
  names: TensorNames | undefined,
  config: ModelConfig,
  { profile, project }: ServedProfile,
): PlaceOf =>
  placesBy(step, (path) => {
    const [field, ...rest] = path;
    if (field === "max_batch_size" && !rawFields(step).has(field))
      return { authors: false, definition: step, option: ["maxBatchSize"], rest };
    if (field === "input" || field === "output") {
      const tensor = config[field]?.[Number(rest[0])]?.name ?? "";
      return tensorOrigin(step, field, nameOf(tensor, names?.[`${field}s`]), rest.slice(1));
    }
    return (
      ownOrigin(step, path, profile, authorFields) ??
      (field === "model_warmup" && step.options["modelWarmup"] !== undefined
        ? { definition: step, option: ["modelWarmup"], rest }
        : memberOrigin(callers, path, profile)) ??
      projectOrigin(path, profile, project)
    );
  });

/** The positions for the models of an ensemble's tensor math. */
export const regionPlaces = (ensemble: EnsembleDefinition, { profile, project }: ServedProfile): PlaceOf =>
  placesBy(
    ensemble,
    (path) => memberOrigin([ensemble], path, profile) ?? projectOrigin(path, profile, project),
  );

/** The positions in the ensemble's own configuration. */
export const ensemblePlaces = (ensemble: EnsembleDefinition, { profile }: ServedProfile): PlaceOf =>
  placesBy(ensemble, ([field, ...rest]) => {
    const inner = field === "ensemble_scheduling" && rest[0] === "max_inflight_requests";
    const path = inner ? rest : [field ?? "", ...rest];
    return ownOrigin(ensemble, path, profile, [...authorFields, "maxInflightRequests"]);
  });

const placesBy =
  (owner: StepDefinition, originOf: OriginOf): PlaceOf =>
  (path) => {
    const origin = originOf(path) ?? { authors: false, definition: owner, option: [], rest: [] };
    const { authors = true, definition, option, rest } = origin;
    const span = optionSpan(definition.places, [...option, ...rest], inside);
    return {
      authors,
      raw: option[0] === "raw",
      span: span ?? siteSpan(definition.site) ?? siteSpan(owner.site),
    };
  };

/** The definition's own settings: in the profile, in its options, or in its `raw` fragment. */
const ownOrigin = (
  definition: StepDefinition,
  [field = "", ...rest]: FieldPath,
  profile: string | undefined,
  fields: readonly string[],
): Origin | undefined => {
  const name = optionName(String(field));
  const ofProfile = profile === undefined ? undefined : profilesOf(definition.options)[profile];
  if (ofProfile?.[name] !== undefined) return { definition, option: ["profiles", profile ?? "", name], rest };
  if (rawFields(definition).has(String(field))) return { definition, option: ["raw"], rest: [] };
  return fields.includes(name) && definition.options[name] !== undefined
    ? { definition, option: [name], rest }
    : undefined;
};

const memberOrigin = (
  callers: readonly StepDefinition[],
  [field = "", ...rest]: FieldPath,
  profile: string | undefined,
): Origin | undefined => {
  const name = optionName(String(field));
  const inCallers = (option: readonly string[], fieldsOf: (members: MemberFields) => MemberFields) => {
    const definition = callers.find((caller) => fieldsOf(membersOf(caller))[name] !== undefined);
    return definition && { definition, option: ["members", ...option, name], rest };
  };
  return (
    (profile === undefined
      ? undefined
      : inCallers(["profiles", profile], (members) => profilesOf(members)[profile] ?? {})) ??
    inCallers([], (members) => members)
  );
};

/** The project's own profiles are in `pipeline.config.ts`. */
const projectOrigin = (
  [field = "", ...rest]: FieldPath,
  profile: string | undefined,
  { profiles, places }: ProjectProfiles,
): Origin | undefined => {
  const name = optionName(String(field));
  return profile !== undefined && profiles[profile]?.[name] !== undefined
    ? { definition: { places, site: [] }, option: [profile, name], rest }
    : undefined;
};

/** `input[0].reshape` comes from the author if `inputFields` has it, and the type from a declaration; names and dims come from the compiler. */
const tensorOrigin = (
  definition: StepDefinition,
  side: "input" | "output",
  tensor: string,
  rest: FieldPath,
): Origin => {
  const [field = ""] = rest;
  if (rawFields(definition).has(side)) return { definition, option: ["raw"], rest: [] };
  const fields = definition.options[`${side}Fields`] as Readonly<Record<string, object>> | undefined;
  const given = fields?.[tensor];
  return given !== undefined && Object.hasOwn(given, optionName(String(field)))
    ? { definition, option: [`${side}Fields`, tensor], rest }
    : { authors: field === "data_type", definition, option: [`${side}s`, tensor], rest: [] };
};

const nameOf = (tensor: string, names: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(names ?? {}).find(([, renamed]) => renamed === tensor)?.[0] ?? tensor;

/** The fields of a `raw` fragment, which replace those of the options. */
export const rawConfig = ({ options: { raw } }: Pick<StepDefinition, "options">): Partial<ModelConfig> => {
  const read = typeof raw === "string" ? parseModelConfig(raw) : undefined;
  return read === undefined || "problem" in read ? {} : read.config;
};

export const rawFields = (step: StepDefinition): ReadonlySet<string> => new Set(Object.keys(rawConfig(step)));

/** Looks under the name in the DSL's spelling, or one level deeper: `strategy: { direct: … }` is Triton's `direct`. */
const inside = (fields: OptionPlace["fields"], name: string): OptionPlace | undefined =>
  fields.get(name) ??
  fields.get(optionName(name)) ??
  [...fields.values()].flatMap(({ fields: deeper }) => deeper.get(optionName(name)) ?? [])[0];
