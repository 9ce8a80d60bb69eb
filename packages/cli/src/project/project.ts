import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { DockerOptions, StepKind } from "@tritype/compiler";
import type { PipelineConfig } from "@tritype/dsl";
import { defaultRelease, releaseOf, type TritonRelease } from "@tritype/triton";
import { type Given, usage } from "../command.ts";
import type { Terminal } from "../terminal.ts";

/** A folder with pipelines, and how it is built. */
export interface Project {
  /** Absolute path; files of steps are relative to it. */
  readonly root: string;
  /** `pipeline.config.ts`, relative to the root; undefined when there is none. */
  readonly configFile: string | undefined;
}

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

/** The first that exists is the project's configuration. */
export const configNames: readonly string[] = [
  "pipeline.config.ts",
  "pipeline.config.mts",
  "pipeline.config.js",
  "pipeline.config.mjs",
];

/**
 * The project that `folder` lies in: the nearest folder upwards with a `pipeline.config.ts`, else `folder` when it has a
 * `pipeline.ts`; undefined when there is neither.
 */
export const lookForProject = (folder: string): Project | undefined => {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const { configFile } = projectIn(root);
    if (configFile !== undefined) return { root, configFile };
    if (root === dirname(root)) break;
  }
  return existsSync(join(folder, "pipeline.ts"))
    ? { root: resolve(folder), configFile: undefined }
    : undefined;
};

/** The project of this very folder, as it is now. */
export const projectIn = (root: string): Project => ({
  root,
  configFile: configNames.find((name) => existsSync(join(root, name))),
});

/** The project that `folder` lies in. @throws PipelineError `usage/invalid` when there is none. */
export const findProject = (folder: string): Project => {
  const project = lookForProject(folder);
  if (project !== undefined) return project;
  throw usage(
    existsSync(folder)
      ? `${resolve(folder)} has no pipeline.config.ts and no pipeline.ts`
      : `${resolve(folder)} does not exist`,
    "run the command in your project's folder, or name the folder with --project",
  );
};

/** The project that `--project` names, else the one the user stands in. @throws PipelineError `usage/invalid` */
export const projectOf = (given: Given, terminal: Terminal): Project =>
  findProject(resolve(terminal.cwd, given.text("project") ?? "."));

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
