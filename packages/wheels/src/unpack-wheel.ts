import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { PipelineError } from "@tritype/core";
import { boundToParent } from "./bound-to-parent.ts";
import type { Environment } from "./cache-folder.ts";
import type { Pip } from "./find-pip.ts";
import type { PinnedWheel } from "./pinned-wheel.ts";
import { runCommand } from "./run-command.ts";
import { wheelsError } from "./errors.ts";

/**
 * Fetches a wheel from pip's configured index and, once its hash has been verified, moves its libraries into
 * `libraries`; `staging` is emptied.
 * @throws PipelineError `file/not-readable` for a file other than the pinned one, `file/not-writable` if the disk is
 * full, `server/unreachable` if pip cannot fetch it.
 */
export async function unpackWheel(
  wheel: PinnedWheel,
  { pip, staging, libraries, env }: UnpackOptions,
): Promise<void> {
  await rm(staging, { recursive: true, force: true });
  const target = join(staging, "unpacked");
  const temporary = join(staging, "tmp");
  await mkdir(temporary, { recursive: true });
  const requirements = join(staging, "requirements.txt");
  await writeFile(requirements, `${wheel.project}==${wheel.version} --hash=sha256:${wheel.sha256}\n`);
  const { code, output } = await runCommand(
    boundToParent(pip.python, [
      ...pip.argv,
      "install",
      "--disable-pip-version-check",
      "--no-input",
      "--quiet",
      "--no-cache-dir",
      "--no-compile",
      "--no-deps",
      "--require-hashes",
      "--only-binary=:all:",
      "--python-version=3.12",
      `--platform=${wheel.platform}`,
      `--target=${target}`,
      `--requirement=${requirements}`,
    ]),
    // Wheels are large, and the system's temporary folder is often in memory. The PIP_ settings would forbid
    // or contradict --target.
    { ...env, TMPDIR: temporary, PIP_REQUIRE_VIRTUALENV: "0", PIP_USER: "0" },
  );
  if (code !== 0) throw pipFailure(wheel, output);
  await keepLibraries(wheel, target, libraries);
  await rm(staging, { recursive: true, force: true });
}

export interface UnpackOptions {
  readonly pip: Pip;
  /** A folder on the file system of `libraries`. */
  readonly staging: string;
  readonly libraries: string;
  readonly env: Environment;
}

const keepLibraries = async (wheel: PinnedWheel, target: string, libraries: string): Promise<void> => {
  const paths = await readdir(target, { recursive: true });
  const found = new Map(paths.map((path) => [basename(path), path]));
  for (const name of wheel.libraries) {
    const path = found.get(name);
    if (path === undefined)
      throw wheelsError("install/wheel-incomplete", { wheel: titleOf(wheel), file: name });
    await rename(join(target, path), join(libraries, name));
  }
};

const pipFailure = (wheel: PinnedWheel, output: string): PipelineError => {
  const said = output.trim().split("\n").slice(-8).join("\n");
  if (/DO NOT MATCH THE HASHES/.test(output))
    return wheelsError("install/wrong-bytes", { wheel: titleOf(wheel), hash: wheel.sha256 });
  if (/No space left on device|Disk quota exceeded/.test(output))
    return wheelsError("install/disk-full", { wheel: titleOf(wheel) });
  return wheelsError("install/wheel-not-fetched", { wheel: titleOf(wheel), output: said });
};

/** "nvidia-cublas 13.0.2.14" */
export const titleOf = ({ project, version }: PinnedWheel): string => `${project} ${version}`;
