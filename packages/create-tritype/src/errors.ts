import { defineErrors, type MakeError } from "@tritype/core";

/** Errors from `npm create tritype`. */
export const createErrors = {
  "create/broken-package": {
    code: "file/not-readable",
    message: "`package.json` cannot be read; nothing was written",
    help: "fix it, or name another folder",
  },
  "create/command-line": {
    code: "usage/invalid",
    message: "{problem}",
    help: "see npm create tritype -- --help",
  },
  "create/folder-is-file": {
    code: "file/foreign",
    message: "{folder} is a file",
    help: "name a folder",
  },
  "create/folder-not-empty": {
    code: "file/foreign",
    message: "{files} {are} in the way; nothing was written",
    help: "move {them} away, or name another folder",
  },
  "create/unknown-template": {
    code: "usage/invalid",
    message: "there is no template `{name}`",
  },
} as const;

export const createError: MakeError<typeof createErrors> = defineErrors(createErrors);
