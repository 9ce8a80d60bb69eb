import type { PipelineError } from "@tritype/core";
import { runCommand } from "@tritype/wheels";
import { dockerImage } from "./docker-command.ts";
import {
  choosePython,
  type PythonChoice,
  type PythonFacts,
  probePython,
  pythonCandidates,
} from "./find-python.ts";
import { installWheel } from "./install-wheel.ts";
import type { InstallOptions, TritonInstallation } from "./installation.ts";
import { wheelRelease } from "./wheel-release.ts";
import { tritonserverError } from "./errors.ts";

/**
 * A real Triton that runs here: PyPI's wheel on Linux x86-64, otherwise NVIDIA's container if Docker runs. Does nothing
 * when the installation is complete; an interrupted one is started again. Safe to call from several processes at once.
 * @throws PipelineError `tool/missing` if neither can run here; the help says what to install.
 */
export async function installTriton(options: InstallOptions): Promise<TritonInstallation> {
  const choice = await wheelPython(options);
  if (choice.kind === "usable") return await installWheel(options, choice.python);
  if (await dockerRuns()) {
    options.notice(`${choice.reason}: Triton runs in Docker (${dockerImage(wheelRelease.release)})`);
    return { kind: "docker", release: wheelRelease.release };
  }
  throw tritonMissing(choice.reason, choice.help);
}

/** The error that names the three ways to get Triton. */
export function tritonMissing(reason: string, help: string): PipelineError {
  return tritonserverError("triton/missing", { reason, help, image: dockerImage(wheelRelease.release) });
}

async function wheelPython({ python, env = process.env }: InstallOptions): Promise<PythonChoice> {
  if (process.platform !== "linux") {
    const reason = `Triton's wheel is for Linux x86-64 and this is ${process.platform} ${process.arch}`;
    return { kind: "unusable", reason, help: "not on this system" };
  }
  const found: PythonFacts[] = [];
  const others: string[] = [];
  for (const path of python === undefined ? pythonCandidates(env) : [python]) {
    const facts = await probePython(path);
    if (facts === undefined) continue;
    if (typeof facts === "string") {
      others.push(`${path} ${facts}`);
      continue;
    }
    found.push(facts);
    const choice = choosePython([facts]);
    if (choice.kind === "usable") return choice;
  }
  return choosePython(found, others);
}

async function dockerRuns(): Promise<boolean> {
  return await runCommand(["docker", "version", "--format", "{{.Server.Version}}"]).then(
    ({ code }) => code === 0,
    () => false,
  );
}
