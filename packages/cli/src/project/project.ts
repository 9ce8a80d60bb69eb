import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { PipelineError } from "@tritype/core";
import type { StepKind } from "@tritype/compiler";
import type { PipelineConfig } from "@tritype/dsl";
import { defaultRelease, releaseOf, releases, type TritonRelease } from "@tritype/triton";

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
  readonly stepKinds: readonly StepKind[];
}

const configNames = [
  "pipeline.config.ts",
  "pipeline.config.mts",
  "pipeline.config.js",
  "pipeline.config.mjs",
];

/**
 * The project that `folder` lies in: the nearest folder upwards with a `pipeline.config.ts`, else `folder` when it has a
 * `pipeline.ts`.
 * @throws PipelineError `project/invalid`
 */
export const findProject = (folder: string): Project => {
  for (let root = resolve(folder); ; root = dirname(root)) {
    const configFile = configNames.find((name) => existsSync(join(root, name)));
    if (configFile !== undefined) return { root, configFile };
    if (root === dirname(root)) break;
  }
  if (existsSync(join(folder, "pipeline.ts"))) return { root: resolve(folder), configFile: undefined };
  throw new PipelineError(
    "project/invalid",
    `${resolve(folder)} has no pipeline.config.ts and no pipeline.ts`,
    {
      help: "run the command in your project's folder, or name the folder with --project",
    },
  );
};

/** Settings of a loaded config. @throws PipelineError `project/invalid` */
export const projectSettings = (project: Project, config: PipelineConfig): ProjectSettings => {
  const release = config.target === undefined ? defaultRelease : releaseOf(config.target);
  if (release === undefined)
    throw new PipelineError(
      "project/invalid",
      `there is no Triton release ${config.target} that tritype knows`,
      {
        help: `set \`target\` to one from ${releases[0]?.container} to ${releases.at(-1)?.container}`,
      },
    );
  return {
    entries: config.entries ?? ["pipeline.ts"],
    output: resolve(project.root, config.output ?? "build"),
    release,
    stepKinds: (config.stepKinds ?? []) as readonly StepKind[],
  };
};
