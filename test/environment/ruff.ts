import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { pythonTool } from "./python-tool.ts";

const exec = promisify(execFile);

/** Runs `ruff check` in a folder and returns its findings, one per line. About 11 MB from PyPI. */
export const ruffCheck = async (cwd: string, given: readonly string[]): Promise<string> => {
  const ruff = join(await pythonTool("ruff", "0.17.6"), "bin", "ruff");
  const ran = await exec(ruff, ["check", "--no-cache", "--quiet", "--output-format", "concise", ...given], {
    cwd,
  }).catch((failure: unknown) => failure as { readonly stdout: string; readonly stderr: string });
  return `${ran.stdout}${ran.stderr}`;
};
