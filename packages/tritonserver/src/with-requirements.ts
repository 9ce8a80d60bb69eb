import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { withFileLock } from "@tritype/wheels";
import { digest } from "./digest.ts";
import type { InstallOptions, TritonInstallation } from "./installation.ts";
import { environmentMarker, environmentPython, makeEnvironment } from "./make-environment.ts";
import { wheelRequirements } from "./wheel-release.ts";

/**
 * The installation with a Python that also has the packages that models import: a cached environment for each list of
 * requirements, created once on top of the installation's own. A container has its own packages and is returned
 * unchanged.
 * @param requirements Lines of a pip requirements file.
 * @throws PipelineError `tool/missing` with pip's last lines.
 */
export async function withRequirements(
  installation: TritonInstallation,
  requirements: string,
  { notice }: Pick<InstallOptions, "notice">,
): Promise<TritonInstallation> {
  if (installation.kind !== "wheel") return installation;
  const wanted = furtherRequirements(requirements);
  if (wanted.length === 0) return installation;
  const base = installation.environment;
  const environment = `${base}-with-${digest(wanted)}`;
  const made = { ...installation, environment, python: environmentPython(environment) };
  const isComplete = (): boolean => existsSync(join(environment, environmentMarker));
  if (isComplete()) return made;
  await withFileLock(installation.python, join(dirname(base), "lock"), async () => {
    if (isComplete()) return;
    notice(
      `installing the packages that the models import (once for these requirements) into ${environment}`,
    );
    await makeEnvironment({
      python: installation.python,
      folder: environment,
      requirements: wanted,
      extending: join(installation.executable, "../../../.."),
      // Triton's stub is built against numpy 1.
      constraints: ["numpy<2"],
      help: "check the `requirements` of your steps (the server's Python only supports numpy 1) and that pip can reach its package index, or name a running server with --triton-url",
      notice,
    }).catch(async (error: unknown) => {
      await rm(environment, { recursive: true, force: true });
      throw error;
    });
  });
  return made;
}

/**
 * The requirements of a file that the installation's own environment does not meet already, without their hashes, which
 * belong to wheels for the container's Python.
 */
export function furtherRequirements(text: string): readonly string[] {
  const there = new Set(
    Object.values(wheelRequirements).flatMap((lines) =>
      lines.flatMap((line) => [line, line.replace(/==.*/, "")]),
    ),
  );
  return text
    .replaceAll(/\\\r?\n/g, " ")
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*/, "")
        .replaceAll(/\s--hash=\S+/g, "")
        .trim(),
    )
    .filter((line) => line !== "" && !there.has(line))
    .toSorted();
}
