import type { ServerPorts } from "./free-ports.ts";
import { behaviourArguments, type ServerBehaviour } from "./server-arguments.ts";

export interface DockerOptions extends ServerBehaviour {
  /** Triton's container release, "24.10". */
  readonly release: string;
  /** An absolute path, mounted read-only. */
  readonly repository: string;
  /** Published on 127.0.0.1 only. */
  readonly ports: ServerPorts;
  /** The container's name; none by default. */
  readonly name?: string;
  /** Gives the container every GPU; default false. */
  readonly gpus?: boolean;
}

/** "24.10" → "nvcr.io/nvidia/tritonserver:24.10-py3" */
export function dockerImage(release: string): string {
  return `nvcr.io/nvidia/tritonserver:${release}-py3`;
}

/** The argv that serves a repository from NVIDIA's container in the foreground. */
export function dockerCommand(options: DockerOptions): readonly [string, ...string[]] {
  const { release, repository, ports, name, gpus = false } = options;
  return [
    "docker",
    "run",
    "--rm",
    "--init",
    ...(name === undefined ? [] : ["--name", name]),
    ...(gpus ? ["--gpus", "all"] : []),
    "--shm-size=1g",
    ...[`${ports.http}:8000`, `${ports.grpc}:8001`, `${ports.metrics}:8002`].flatMap((p) => [
      "-p",
      `127.0.0.1:${p}`,
    ]),
    "--mount",
    mountOf(repository),
    dockerImage(release),
    "tritonserver",
    "--model-repository=/models",
    ...behaviourArguments(options),
  ];
}

/** Docker reads `--mount` as one line of CSV. */
function mountOf(repository: string): string {
  const source = `source=${repository}`;
  const field = /[",\n]/.test(source) ? `"${source.replaceAll('"', '""')}"` : source;
  return `type=bind,${field},target=/models,readonly`;
}
