import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeOnce } from "./make-once.ts";

const exec = promisify(execFile);
const uvVersion = "0.13.9";
const cached = (name: string): string => join(process.env["TRITYPE_CACHE"] ?? tmpdir(), name);
const wheels = ["--quiet", "--only-binary", ":all:"];

/**
 * Installs a tool from PyPI once, into its own folder in `$TRITYPE_CACHE`, and returns the folder.
 * @param others Further packages, such as "flask==3.1.2".
 */
export const pythonTool = async (
  name: string,
  version: string,
  others: readonly string[] = [],
): Promise<string> => {
  const folder = cached(`${name}-${version}`);
  const packages = [`${name}==${version}`, ...others];
  await makeOnce(folder, (staging) => installPackages("python3", ["--target", staging, ...packages]));
  return folder;
};

/** The environment of a Python that uses the packages of one or several folders, as in PYTHONPATH. */
export const withPackages = (folders: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PYTHONPATH: folders,
});

/** Installs packages for a Python. @param given Names with versions, and options that pip and uv share, such as `--target`. */
export const installPackages = async (python: string, given: readonly string[]): Promise<void> => {
  // pip takes ten times as long, but knows the settings of this machine, such as another index.
  await exec(await uv(), ["pip", "install", "--no-cache", "--python", python, ...wheels, ...given]).catch(
    () => exec("python3", ["-m", "pip", "--python", python, "install", ...wheels, ...given]),
  );
};

/** The installer uv (25 MB). */
export const uv = async (): Promise<string> => {
  const folder = cached(`uv-${uvVersion}`);
  const pip = ["-m", "pip", "install", "--no-compile", ...wheels];
  await makeOnce(
    folder,
    async (staging) => void (await exec("python3", [...pip, "--target", staging, `uv==${uvVersion}`])),
  );
  return join(folder, "bin", "uv");
};
