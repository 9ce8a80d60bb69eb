import { resolve } from "node:path";
import {
  defaultFunctions,
  type DockerOptions,
  type FunctionSettings,
  type StepKind,
} from "@tritype/compiler";
import type { DeployConfig } from "@tritype/deploy/diagnostics";
import type { MemberProfile, PipelineConfig } from "@tritype/dsl";
import type { OptionPlace } from "@tritype/core";
import { defaultRelease, releaseOf, type TritonRelease } from "@tritype/triton";
import { configPlaces } from "./config-places.ts";
import type { Project } from "./find-project.ts";
import { sourceReader } from "./project-error.ts";

/** A project's settings, including defaults. */
export interface ProjectSettings {
  readonly entries: readonly string[];
  /** Absolute path of the build folder. */
  readonly output: string;
  readonly release: TritonRelease;
  /** Number of old versions of a model to keep in addition to a new version; if undefined, a build replaces them. */
  readonly keepVersions: number | undefined;
  readonly stepKinds: readonly StepKind[];
  /** The overrides of each profile, for models that do not set these fields themselves. */
  readonly profiles: Readonly<Record<string, MemberProfile>>;
  /** Profile → number of processors of its servers, if the project specifies the number. */
  readonly cores: Readonly<Record<string, number>>;
  /** The position of each profile in the configuration. */
  readonly profilePlaces: OptionPlace["fields"];
  /** How the container is built; false for none. */
  readonly docker: DockerOptions | false;
  /** How functions run in Triton. */
  readonly functions: FunctionSettings;
  /** Drift limits by the name of the ensemble. */
  readonly drift: NonNullable<PipelineConfig["drift"]>;
  /** Absolute path of the folder that `pipeline deploy` writes. */
  readonly deployOutput: string;
  readonly deploy: DeployConfig;
  /** The position of `deploy` in the configuration, if it is a literal. */
  readonly deployPlace: OptionPlace | undefined;
}

/** The settings of a validated configuration, including defaults. */
export const projectSettings = ({ root, configFile }: Project, config: PipelineConfig): ProjectSettings => {
  const places = placesOf(root, configFile);
  return {
    entries: config.entries ?? ["pipeline.ts"],
    output: resolve(root, config.output ?? "build"),
    release: (config.target === undefined ? undefined : releaseOf(config.target)) ?? defaultRelease,
    keepVersions: keepOf(config.versions),
    stepKinds: (config.stepKinds ?? []) as readonly StepKind[],
    ...profilesOf(config),
    profilePlaces: places.get("profiles")?.fields ?? new Map(),
    docker: config.docker ?? {},
    functions: { ...defaultFunctions, ...config.functions },
    drift: config.drift ?? {},
    deployOutput: resolve(root, config.deploy?.output ?? "deploy"),
    deploy: config.deploy ?? {},
    deployPlace: places.get("deploy"),
  };
};

/** How models run in each profile, regardless of the servers that the profile is for. */
const profilesOf = (config: PipelineConfig): Pick<ProjectSettings, "cores" | "profiles"> => {
  const profiles: Record<string, MemberProfile> = {};
  const cores: Record<string, number> = {};
  for (const [name, { cores: count, ...profile }] of Object.entries(config.profiles ?? {})) {
    profiles[name] = profile;
    if (count !== undefined) cores[name] = count;
  }
  return { profiles, cores };
};

const placesOf = (root: string, file: string | undefined): OptionPlace["fields"] => {
  const source = file === undefined ? undefined : sourceReader(root)(file);
  return (source === undefined ? undefined : configPlaces(source, file ?? ""))?.fields ?? new Map();
};

const keepOf = (versions: PipelineConfig["versions"] = "fresh"): number | undefined =>
  versions === "fresh" ? undefined : versions === "append" ? 1 : versions.append.keep;
