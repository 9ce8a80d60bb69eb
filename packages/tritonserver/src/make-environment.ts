import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { boundToParent, runCommand } from "@tritype/wheels";
import { tritonserverError } from "./errors.ts";

/** A virtual environment in the cache, and its contents. */
export interface EnvironmentPlan {
  /** The interpreter to create it with. */
  readonly python: string;
  readonly folder: string;
  readonly requirements: readonly string[];
  /** The `site-packages` of an environment whose packages, and whose pip, are also visible in this one. */
  readonly extending?: string;
  /** Version constraints, as in a constraints file of pip. */
  readonly constraints?: readonly string[];
  /**
   * Whether pip compiles all modules. Default true: the server's processes write no bytecode, so each model would compile numpy at its start.
   */
  readonly isCompiled?: boolean;
  /** The help text if pip fails. */
  readonly help: string;
  readonly notice: (line: string) => void;
}

/** The file in an environment that marks a finished installation. */
export const environmentMarker = "complete";

/**
 * Recreates the environment and installs wheels of the requirements. @throws PipelineError `tool/missing` with pip's last lines.
 */
export async function makeEnvironment({
  python,
  folder,
  requirements,
  extending,
  constraints = [],
  isCompiled = true,
  help,
  notice,
}: EnvironmentPlan): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const step = async (what: string, argv: readonly [string, ...string[]]): Promise<void> => {
    notice(what);
    const { code, output } = await runCommand(
      process.platform === "linux" ? boundToParent(python, argv) : argv,
    );
    if (code === 0) return;
    throw tritonserverError(
      "install/environment",
      { what, output: output.trim().split("\n").slice(-12).join("\n") },
      { help },
    );
  };
  // An own pip would take most of the time.
  const bare = extending === undefined ? [] : ["--without-pip"];
  await step(`creating a virtual environment with ${python}`, [python, "-I", "-m", "venv", ...bare, folder]);
  const bounds = join(folder, "constraints.txt");
  await writeFile(bounds, constraints.map((line) => `${line}\n`).join(""));
  if (extending !== undefined)
    await writeFile(join(await sitePackages(folder), "extended.pth"), `${extending}\n`);
  const options = "--disable-pip-version-check --no-input --quiet --only-binary=:all:".split(" ");
  if (!isCompiled) options.push("--no-compile");
  // Without `-I`, Python would import a pip from the current folder, which may be a stranger's.
  const pip = ["-I", "-m", "pip", "install", ...options, "--constraint", bounds, ...requirements];
  await step(`downloading ${requirements.join(" ")}`, [environmentPython(folder), ...pip]);
  await writeFile(join(folder, environmentMarker), `${requirements.join("\n")}\n`);
}

const sitePackages = async (folder: string): Promise<string> => {
  const library = join(folder, process.platform === "win32" ? "Lib" : "lib");
  const [version = ""] = process.platform === "win32" ? [""] : await readdir(library);
  return join(library, version, "site-packages");
};

/** The interpreter of an environment. */
export const environmentPython = (folder: string): string =>
  process.platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");
