import { resolve } from "node:path";
import { findProject, type Project } from "@tritype/project/find";
import type { Given } from "../command.ts";
import type { Terminal } from "../terminal.ts";

/**
 * The project given by `--project`, otherwise the one that contains the working folder.
 * @throws PipelineError `usage/invalid`
 */
export const projectOf = (given: Given, terminal: Terminal): Project =>
  findProject(resolve(terminal.cwd, given.text("project") ?? "."));
