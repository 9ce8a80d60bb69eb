import { resolve } from "node:path";
import type { BuiltProject } from "@tritype/project";
import { buildProject } from "../build/build-project.ts";
import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { projectOf } from "./project-of.ts";

/** The repository that a command works on: the folder it names, else the project's, freshly built; undefined when that has errors. */
export const repositoryOf = async (
  folder: string | undefined,
  given: Given,
  terminal: Terminal,
): Promise<BuiltProject | undefined> =>
  folder === undefined
    ? await buildProject(projectOf(given, terminal), terminal)
    : { repository: resolve(terminal.cwd, folder), ensembles: [], samples: [] };
