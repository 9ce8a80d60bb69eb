import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { packageOfModule } from "@tritype/check/packages";
import type { PipelineError } from "@tritype/core";
import { whyNotPython } from "@tritype/wheels";
import { runtimeError } from "../errors.ts";

const run = promisify(execFile);
/** The path is written in bytes, because Windows and PYTHONIOENCODING may choose an encoding for text that is not UTF-8. */
const question = `
import os, sys
if sys.version_info < (3, 8):
    sys.exit("is Python " + sys.version.split()[0])
sys.stdout.buffer.write(os.fsencode(sys.executable))
`;

/**
 * Path of the interpreter that `command` runs; without a command, the first of `$TRITYPE_PYTHON`, `python3` and
 * `python`.
 * @throws PipelineError `tool/missing` if there is no Python 3.8 or newer.
 */
export const findPython = async (command: string | undefined): Promise<string> => {
  const chosen = command ?? process.env["TRITYPE_PYTHON"];
  const candidates = chosen === undefined || chosen === "" ? ["python3", "python"] : [chosen];
  const tried: string[] = [];
  for (const candidate of candidates) {
    const { code, stdout, stderr } = await run(candidate, ["-c", question]).then(
      (answer) => ({ code: 0, ...answer }),
      (error: NodeJS.ErrnoException & { readonly stderr?: string }) => ({ stderr: "", ...error, stdout: "" }),
    );
    const [executable = ""] = stdout.split(/\r?\n/);
    if (executable !== "") return executable;
    const why = whyNotPython(code, stderr);
    tried.push(why === undefined ? candidate : `${candidate}, which ${why}`);
  }
  throw runtimeError("python/not-found", { tried: tried.join("; ") });
};

/** The facts that an interpreter reports about itself. */
export interface FoundPython {
  readonly executable: string;
  /** "3.11.7" */
  readonly version: string;
  /** numpy's version. */
  readonly numpy: string;
}

/** The command that installs a package that the code of a model fails to import; undefined for any other failure. */
export const packageHelp = (executable: string, failure: string): string | undefined => {
  const module = /^ModuleNotFoundError: No module named '([\w.]+)'/.exec(failure)?.[1];
  return module === undefined
    ? undefined
    : `run: ${executable} -m pip install ${packageOfModule(module)} (or set TRITYPE_PYTHON to an interpreter that has it)`;
};

/** The reason why a Python cannot run models, with the command that fixes it. */
export const numpyMissing = (executable: string, reason: string): PipelineError =>
  runtimeError("python/no-numpy", { executable, why: reason });
