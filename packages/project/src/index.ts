export { analyseSources, reachable } from "./analyse/analyse-sources.ts";
export { createBuildInputs } from "./build-inputs.ts";
export { checkBuild } from "./check/check-build.ts";
export { judgeBuild, type JudgedBuild } from "./check/judge-build.ts";
export { type CompiledProject, compileProject, type ProjectVariant } from "./compile-project.ts";
export { compileRecords } from "./compile-records.ts";
export { readConfig } from "./config.ts";
export { deployFindings } from "./deploy-findings.ts";
export { gateStates, proofOf, withProofs } from "./drift/drift-proofs.ts";
export { editOptions } from "./edit/edit-options.ts";
export type { OptionEdit } from "./edit/edit-source.ts";
export { fileOnDisk } from "./files/file-on-disk.ts";
export { filesBelow } from "./files/files-below.ts";
export { readLargeFile, writeLargeFile } from "./files/large-file.ts";
export { openTree } from "./files/open-tree.ts";
export { removeEmptyFolders } from "./files/staged-files.ts";
export { type Commit, compareBuild, readManifest, writeBuild } from "./files/write-build.ts";
export { type BuiltProject, writeProject } from "./files/write-project.ts";
export { lendTreeFile } from "./files/write-tree-file.ts";
export { bundleEntries } from "./load/bundle-entries.ts";
export {
  type LockedFile,
  type LockedModel,
  lockName,
  type ModelsLock,
  printLock,
  readLock,
} from "./lock/models-lock.ts";
export type { StepEngine } from "./node/step-engines.ts";
export { findProject, lookForProject, type Project, projectIn } from "./find-project.ts";
export { cacheFolderOf } from "./project-cache.ts";
export { projectSettings, type ProjectSettings } from "./project-settings.ts";
export { type MemberCall, type Members, runMembers, streamMembers } from "./warmup/ensemble-members.ts";
export { readCaptured } from "./warmup/read-captured.ts";
export { projectErrors } from "./errors.ts";
