import { type Diagnose, defineDiagnostics } from "@tritype/core";

export const pythonDiagnostics = {
  "python/no-file": {
    message: "`{step}` has {what}",
    help: 'set its Python file with `file: "steps/{step}.py"`, or a folder with a model.py with `folder: "steps/{step}"`',
  },
  "python/file-not-found": {
    message: "`{step}`: the {what} `{path}` does not exist",
    help: "paths are relative to the project's root, which is the folder with pipeline.config.ts; `pipeline init python-step` writes a model.py to start from",
  },
} as const;

export const diagnosePython: Diagnose<typeof pythonDiagnostics> = defineDiagnostics(pythonDiagnostics);
