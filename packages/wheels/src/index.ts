export { boundToParent } from "./bound-to-parent.ts";
export { cacheFolder, type Environment } from "./cache-folder.ts";
export { withFileLock } from "./file-lock.ts";
export { installLibraries, librariesFolder, type LibrarySet } from "./install-libraries.ts";
export { makeFolders } from "./make-folders.ts";
export { runCommand, whyNotPython } from "./run-command.ts";
export { writeNew, writeWhole } from "./write-whole.ts";
export { wheelsErrors } from "./errors.ts";
export { findPip, type Pip } from "./find-pip.ts";
