import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { pythonWithNumpy } from "./python.ts";
import { pythonTool, withPackages } from "./python-tool.ts";

const exec = promisify(execFile);

/**
 * Runs mypy in strict mode on Python files with numpy's types and returns its output. About 30 MB from PyPI. Most of its time is spent
 * analysing numpy, and the result is kept.
 */
export const mypyStrict = async (
  files: readonly string[],
  options: { readonly cwd: string; readonly mypyPath: string },
): Promise<string> => {
  const python = await pythonWithNumpy();
  const folder = await pythonTool("mypy", "1.18.2");
  const env = { ...withPackages(folder), MYPYPATH: options.mypyPath };
  const ran = await exec(python, ["-m", "mypy", "--strict", "--cache-dir", `${folder}-cache`, ...files], {
    cwd: options.cwd,
    env,
  }).catch((failure: unknown) => failure as { readonly stdout: string; readonly stderr: string });
  return `${ran.stdout}${ran.stderr}`;
};
