import { resolve } from "node:path";
import type { DockerOptions, StepKind } from "@tritype/compiler";
import type { PipelineConfig } from "@tritype/dsl";
import { defaultRelease, releaseOf, type TritonRelease } from "@tritype/triton";
import type { Project } from "./find-project.ts";

/** A project's settings with their defaults. */
export interface ProjectSettings {
  readonly entries: readonly string[];
  /** Absolute path of the build folder. */
  readonly output: string;
  readonly release: TritonRelease;
  /** How many old versions of a model stay beside a new one; undefined: a build replaces them. */
  readonly keepVersions: number | undefined;
  readonly stepKinds: readonly StepKind[];
  /** What is otherwise in each profile, for models that do not say it themselves. */
  readonly profiles: NonNullable<PipelineConfig["profiles"]>;
  /** How the container is made; false for none. */
  readonly docker: DockerOptions | false;
  /** By name of the ensemble. */
  readonly drift: NonNullable<PipelineConfig["drift"]>;
}

/** Settings of a checked config, with their defaults. */
export const projectSettings = ({ root }: Project, config: PipelineConfig): ProjectSettings => ({
  entries: config.entries ?? ["pipeline.ts"],
  output: resolve(root, config.output ?? "build"),
  release: (config.target === undefined ? undefined : releaseOf(config.target)) ?? defaultRelease,
  keepVersions: keepOf(config.versions),
  stepKinds: (config.stepKinds ?? []) as readonly StepKind[],
  profiles: config.profiles ?? {},
  docker: config.docker ?? {},
  drift: config.drift ?? {},
});

const keepOf = (versions: PipelineConfig["versions"] = "fresh"): number | undefined =>
  versions === "fresh" ? undefined : versions === "append" ? 1 : versions.append.keep;
