import { defineErrors, type MakeError } from "@tritype/core";

/** Errors for a project or build that cannot be found, read or written. */
export const projectErrors = {
  "build/changed-meanwhile": {
    code: "file/not-writable",
    message: "another build wrote to {folder} at the same time",
    help: "build again to append to the current content",
  },
  "build/file-changed": {
    code: "file/not-readable",
    message: "{path} changed while it was copied",
    help: "build again when it is complete",
  },
  "build/locked": {
    code: "file/not-writable",
    message: "another build has been writing to {folder} for {seconds} s (process {process})",
    help: "wait until it finishes; if that process does not exist, delete {lock}",
  },
  "build/newer-manifest": {
    code: "file/foreign",
    message: "{path} has format version {found}, but this tritype reads up to {newest}",
    help: "update tritype, delete the build's folder, or build into another one (`output` in pipeline.config.ts)",
  },
  "build/not-a-manifest": {
    code: "file/foreign",
    message: "{path} is not the manifest of a tritype build",
    help: "if it is part of a damaged build, delete the build's folder; otherwise build into another one (`output` in pipeline.config.ts)",
  },
  "drift/file-missing": {
    code: "file/not-found",
    message: "`drift` in the configuration names {path}, which does not exist",
    help: "check the path; it is relative to the project's root",
  },
  "file/foreign": {
    code: "file/foreign",
    message: "{path} already exists and was not written by a tritype build",
    help: "move it away, rename the step, or build into another folder (`output` in pipeline.config.ts)",
  },
  "file/too-large": {
    code: "file/not-readable",
    message: "{path} has {size} bytes, more than Node.js {version} can handle",
    help: "run with Node.js 22 or newer",
  },
  "load/exit": {
    code: "project/invalid",
    message: "your code called process.exit({code})",
    help: "throw an error instead; these files are only loaded to read what they define",
  },
  "load/never-settles": {
    code: "project/invalid",
    message: "your code waits at its top level for a promise that never settles",
    help: "find the `await` outside of any function, and check what resolves its promise",
  },
  "lock/newer": {
    code: "file/not-readable",
    message: "{file} has format {version}; this tritype reads format 1",
    help: "install the tritype version that wrote it, or a newer one",
  },
  "lock/not-readable": {
    code: "file/not-readable",
    message: "{file} cannot be read: {why}",
    help: "restore it from git, or delete it and add the models again",
  },
  "project/not-found": {
    code: "usage/invalid",
    message: "{folder} {problem}",
    help: "run the command in your project's folder, or name the folder with --project; `pipeline init` creates a project here",
  },
} as const;

export const projectError: MakeError<typeof projectErrors> = defineErrors(projectErrors);
