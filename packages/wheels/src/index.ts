export { boundToParent } from "./bound-to-parent.ts";
export { cacheFolder, type Environment } from "./cache-folder.ts";
export { withFileLock } from "./file-lock.ts";
export { findPip, type Pip } from "./find-pip.ts";
export {
  installLibraries,
  type InstallLibrariesOptions,
  librariesFolder,
  type LibrarySet,
} from "./install-libraries.ts";
export { makeFolders } from "./make-folders.ts";
export type { PinnedWheel } from "./pinned-wheel.ts";
export { type CommandResult, runCommand } from "./run-command.ts";
export { writeNew, writeWhole } from "./write-whole.ts";
export { wheelsErrors } from "./errors.ts";
