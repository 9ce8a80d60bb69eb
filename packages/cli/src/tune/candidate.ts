import type { StepRecord } from "@tritype/dsl";
import {
  type BuiltProject,
  type CompiledProject,
  judgeBuild,
  type Project,
  reachable,
  writeProject,
} from "@tritype/project";
import type { ModelConfig } from "@tritype/triton";
import { CandidateRefused, type TunedOptions } from "@tritype/tune";

type Fields = Readonly<Record<string, unknown>>;

/** The destination of a tuning run's settings. */
export interface TunedProfile {
  /** The name of the profile that is written. */
  readonly name: string;
  /** The profile that tuning starts from; if undefined, the configuration without a profile. */
  readonly base: string | undefined;
  readonly ensemble: string;
}

/** A build whose profile has the settings of one candidate. */
export interface CandidateBuild extends BuiltProject {
  readonly compiled: CompiledProject;
}

/** The fields of a candidate's profile in one step or ensemble. */
export interface ProfileFields {
  readonly record: StepRecord;
  /** Whether the fields are those of the ensemble's members. */
  readonly ofMembers: boolean;
  /** The fields of the initial profile, together with the candidate's. */
  readonly fields: Fields;
  /** The profiles that the definition already has. */
  readonly profiles: Readonly<Record<string, Fields>>;
}

/** The fields of a candidate's profile, for every definition that has or had fields in it. */
export const profileFields = (
  records: readonly StepRecord[],
  { name, base, ensemble }: TunedProfile,
  tuned: TunedOptions,
): readonly ProfileFields[] =>
  reachable(records).flatMap((record) => {
    const isEnsemble = record.trace !== undefined;
    const members = (record.options["members"] ?? {}) as Fields;
    const places = [
      { ofMembers: false, holder: record.options, own: tuned.profiles.get(record.name) ?? {} },
      ...(isEnsemble
        ? [{ ofMembers: true, holder: members, own: record.name === ensemble ? tuned.members : {} }]
        : []),
    ];
    return places.flatMap(({ ofMembers, holder, own }) => {
      const profiles = (holder["profiles"] ?? {}) as ProfileFields["profiles"];
      const fields = { ...(base === undefined ? {} : profiles[base]), ...own };
      const isNeeded = Object.keys(fields).length > 0 || profiles[name] !== undefined;
      return isNeeded ? [{ record, ofMembers, fields, profiles }] : [];
    });
  });

/** Maps a step or ensemble to the options of a candidate. */
const overridesOf = (
  records: readonly StepRecord[],
  profile: TunedProfile,
  tuned: TunedOptions,
): ReadonlyMap<string, Fields> => {
  const overrides = new Map<string, Fields>(tuned.own);
  for (const { record, ofMembers, fields, profiles } of profileFields(records, profile, tuned)) {
    const all = { profiles: { ...profiles, [profile.name]: fields } };
    const members = { members: { ...(record.options["members"] as Fields | undefined), ...all } };
    overrides.set(record.name, { ...overrides.get(record.name), ...(ofMembers ? members : all) });
  }
  return overrides;
};

/** @throws CandidateRefused with the first error of the compiler or of the rules about repositories. */
export const compileCandidate = async (
  base: CompiledProject,
  profile: TunedProfile,
  tuned: TunedOptions,
  output: string,
): Promise<CompiledProject> => {
  const { profiles } = base.settings;
  const compiled = await base.vary({
    output,
    profiles: {
      ...profiles,
      [profile.name]: profile.base === undefined ? {} : (profiles[profile.base] ?? {}),
    },
    overrides: overridesOf(base.records, profile, tuned),
  });
  const { build, diagnostics } = judgeBuild(compiled);
  const error = diagnostics.find(({ severity }) => severity === "error");
  if (build === undefined) throw new CandidateRefused(error?.message ?? "it does not compile");
  return compiled;
};

export const writeCandidate = (project: Project, compiled: CompiledProject): CandidateBuild => {
  const { build } = compiled.compilation;
  if (build === undefined) throw new CandidateRefused("it does not compile");
  return { ...writeProject(project, compiled, build, []), compiled };
};

/** The configuration of a model in a profile of a compiled project. */
export const configOf = (
  { compilation }: Pick<CompiledProject, "compilation">,
  model: string,
  profile: string | undefined,
): ModelConfig | undefined =>
  compilation.emitted.models.find(({ name }) => name === model)?.configs.get(profile)?.config;
