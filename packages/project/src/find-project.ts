import { existsSync, lstatSync, readlinkSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { attempt } from "@tritype/core";
import { projectError } from "./errors.ts";
import { upwards } from "./upwards.ts";

export { pathInside } from "./files/path-inside.ts";
export { upwards };

/** A folder with pipelines, and how it is built. */
export interface Project {
  /** Absolute path; files of steps are relative to it. */
  readonly root: string;
  /** `pipeline.config.ts`, relative to the root; undefined when there is none. */
  readonly configFile: string | undefined;
}

/** The first of these that exists is the project's configuration. */
export const configNames: readonly string[] = [
  "pipeline.config.ts",
  "pipeline.config.mts",
  "pipeline.config.js",
  "pipeline.config.mjs",
];

/**
 * The project that contains `folder`: the nearest folder upwards with a `pipeline.config.ts`, or else `folder` if it
 * has a `pipeline.ts`; undefined if there is neither.
 */
export const lookForProject = (folder: string): Project | undefined => {
  for (const root of upwards(resolve(folder))) {
    if (root !== resolve(folder) && isShared(root)) break;
    const { configFile } = projectIn(root);
    if (configFile !== undefined) return { root, configFile };
  }
  return existsSync(join(folder, "pipeline.ts"))
    ? { root: resolve(folder), configFile: undefined }
    : undefined;
};

/** Whether every user can create files in a folder, as in /tmp: a configuration there may be another user's, and would run. */
const isShared = (folder: string): boolean =>
  ((attempt(() => statSync(folder).mode) ?? 0) & 0o1002) === 0o1002;

/** The project in exactly this folder, in its current state. */
export const projectIn = (root: string): Project => ({
  root,
  configFile: configNames.find((name) => existsSync(join(root, name))),
});

/** The project that contains `folder`. @throws PipelineError `usage/invalid` if there is none. */
export const findProject = (folder: string): Project => {
  const project = lookForProject(folder);
  if (project !== undefined) return project;
  const above = upwards(dirname(resolve(folder))).find((root) => existsSync(join(root, "pipeline.ts")));
  const link = brokenLinkIn(folder);
  const problem = existsSync(folder)
    ? link !== undefined
      ? `has a pipeline.ts that is a symbolic link to ${link}, which does not exist`
      : `has no pipeline.config.ts and no pipeline.ts${above === undefined ? "" : `; ${above} has a pipeline.ts`}`
    : "does not exist";
  throw projectError(
    "project/not-found",
    { folder: resolve(folder), problem },
    above === undefined ? {} : { help: `run the command in ${above}, or name the folder with --project` },
  );
};

/** The target of a `pipeline.ts` that is a link to nothing. */
const brokenLinkIn = (folder: string): string | undefined => {
  const entry = lstatSync(join(folder, "pipeline.ts"), { throwIfNoEntry: false });
  return entry?.isSymbolicLink() === true ? readlinkSync(join(folder, "pipeline.ts")) : undefined;
};
