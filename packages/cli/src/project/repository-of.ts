import { resolve } from "node:path";
import type { BuiltProject } from "@tritype/project";
import { buildProject } from "../build/build-project.ts";
import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { configNameOf } from "./config-name.ts";
import { needProfile } from "./need-profile.ts";
import { projectOf } from "./project-of.ts";

/**
 * The repository that a command works on: the given folder, or otherwise the project's repository, freshly built; undefined if the
 * build has errors.
 */
export const repositoryOf = async (
  folder: string | undefined,
  given: Given,
  terminal: Terminal,
): Promise<BuiltProject | undefined> =>
  folder === undefined
    ? await buildProject(projectOf(given, terminal), terminal)
    : { repository: resolve(terminal.cwd, folder), ensembles: [], samples: [] };

/**
 * Like `repositoryOf`, but with the profile from the options.
 * @throws PipelineError `usage/invalid` if no model has the profile.
 */
export const profiledRepositoryOf = async (
  folder: string | undefined,
  given: Given,
  terminal: Terminal,
): Promise<(BuiltProject & { readonly configName: string | undefined }) | undefined> => {
  const configName = configNameOf(given);
  const built = await repositoryOf(folder, given, terminal);
  if (built === undefined) return undefined;
  await needProfile(built.repository, configName, terminal);
  return { ...built, configName };
};
