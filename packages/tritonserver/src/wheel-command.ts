import { delimiter, join } from "node:path";
import { boundToParent, type Environment } from "@tritype/wheels";
import type { ServerPorts } from "./free-ports.ts";
import type { WheelInstallation } from "./installation.ts";
import { behaviourArguments, type ServerBehaviour } from "./server-arguments.ts";

/** The argv that serves a repository from the wheel, on 127.0.0.1 only; the server ends with this process. */
export function wheelCommand(
  installation: WheelInstallation,
  options: ServerBehaviour & { readonly repository: string; readonly ports: ServerPorts },
): readonly [string, ...string[]] {
  const { repository, ports } = options;
  return boundToParent(installation.python, [
    installation.executable,
    `--model-repository=${repository}`,
    `--backend-directory=${installation.backends}`,
    `--cache-directory=${installation.caches}`,
    "--http-address=127.0.0.1",
    `--http-port=${ports.http}`,
    "--grpc-address=127.0.0.1",
    `--grpc-port=${ports.grpc}`,
    "--metrics-address=127.0.0.1",
    `--metrics-port=${ports.metrics}`,
    ...behaviourArguments(options),
  ]);
}

/** The stub finds numpy through PATH and VIRTUAL_ENV only; a PYTHONPATH of the caller could shadow it with numpy 2. */
export function wheelEnvironment(installation: WheelInstallation, env: Environment): Environment {
  return {
    ...env,
    PATH: [join(installation.environment, "bin"), env["PATH"] ?? ""].join(delimiter),
    VIRTUAL_ENV: installation.environment,
    LD_LIBRARY_PATH: installation.libraryFolders.join(delimiter),
    PYTHONHOME: undefined,
    PYTHONPATH: undefined,
    // Writes no bytecode into the repository, which belongs to the build.
    PYTHONDONTWRITEBYTECODE: "1",
  };
}
