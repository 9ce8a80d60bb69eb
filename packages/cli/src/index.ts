export { type BuildFindings, checkBuild } from "./check/check-build.ts";
export { type Command, type ExitCode, type Given, type OptionSpec, readArguments } from "./command.ts";
export { commands } from "./commands.ts";
export { main } from "./main.ts";
export { type CompiledProject, compileProject } from "./project/compile-project.ts";
export { analyseSources } from "./project/analyse-sources.ts";
export { compileRecords, type CompileRecordsOptions } from "./project/compile-records.ts";
export { readConfig } from "./project/config.ts";
export { ProjectError, sourceReader } from "./project/project-error.ts";
export {
  findProject,
  lookForProject,
  type Project,
  projectSettings,
  type ProjectSettings,
} from "./project/project.ts";
export {
  type BuildDifference,
  compareBuild,
  readManifest,
  type WrittenBuild,
  writeBuild,
} from "./project/write-build.ts";
export { type ReadSource, renderDiagnostic } from "./render-diagnostic.ts";
export { createTerminal, type Terminal } from "./terminal.ts";
