import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { findProject, type Project } from "@tritype/project/find";
import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";

/**
 * The project given by `--project`, otherwise the one that contains the working folder.
 * @throws PipelineError `usage/invalid`
 */
export const projectOf = (given: Given, terminal: Terminal): Project => {
  const folder = resolve(terminal.cwd, given.text("project") ?? ".");
  // Node knows the sources by their real paths.
  return findProject(existsSync(folder) ? realpathSync(folder) : folder);
};
