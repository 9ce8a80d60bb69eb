import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { generalError, PipelineError } from "@tritype/core";
import { dockerCommand } from "./docker-command.ts";
import { freePorts, type ServerPorts } from "./free-ports.ts";
import type { TritonInstallation } from "./installation.ts";
import { startProcess, type ServerProcess } from "./server-process.ts";
import { plainPath } from "./plain-path.ts";
import type { ServerBehaviour } from "./server-arguments.ts";
import { wheelCommand, wheelEnvironment } from "./wheel-command.ts";
import { tritonserverError } from "./errors.ts";

export interface ServeOptions extends ServerBehaviour {
  /** The model repository's folder. */
  readonly repository: string;
  /** Free ports of 127.0.0.1 by default. */
  readonly httpPort?: number;
  readonly grpcPort?: number;
  readonly metricsPort?: number;
  /** Milliseconds the server may take to load its models and listen; default 120,000. */
  readonly startTimeout?: number;
  /** Called with each line of the server's log when it arrives. */
  readonly onLine?: ((line: string) => void) | undefined;
}

/** A running Triton. It ends with this process, or at `stop()`. */
export interface TritonServer {
  /** "http://127.0.0.1:8000" */
  readonly httpUrl: string;
  /** "127.0.0.1:8001" */
  readonly grpcAddress: string;
  /** "http://127.0.0.1:8002/metrics" */
  readonly metricsUrl: string;
  /** The server's process, whose children run its Python models; undefined in a container. */
  readonly pid: number | undefined;
  /** The log so far; its first lines are dropped beyond 4 MB. */
  log(): string;
  /** The reason why models could not be polled or loaded, as reported by the server, in the order of the log. */
  problems(): readonly string[];
  /**
   * Resolves when every model is ready.
   * @throws PipelineError `model/unavailable` with the server's reasons if one cannot load, or is not ready within
   * `timeout` ms (default 60,000).
   */
  waitReady(timeout?: number): Promise<void>;
  /** Resolves to "exit code 1" or "signal SIGKILL" when the server ends, with or without `stop()`. */
  readonly ended: Promise<string>;
  /** Asks the server to stop, waits, and kills it after 10 s. */
  stop(): Promise<void>;
}

/**
 * Serves a repository with a real Triton. Resolves when the server listens; by then it has tried to load every model.
 * The wheel's HTTP service crashes on request bodies above about 2 MB (Triton 24.10): send those over gRPC.
 * @throws PipelineError `file/not-found` for the repository, `port/in-use`, `server/unreachable` when the server ends or
 * does not listen in time, with the reasons of its log.
 */
export async function serveTriton(
  installation: TritonInstallation,
  options: ServeOptions,
): Promise<TritonServer> {
  const repository = resolve(options.repository);
  if (!existsSync(repository)) {
    throw generalError("file/not-found", { path: `The model repository ${repository}` });
  }
  const given = givenPorts(options);
  for (let attempt = 1; ; attempt++) {
    const ports = await freePorts(given);
    try {
      return await startServer(installation, { ...options, repository }, ports);
    } catch (error) {
      if (attempt === 3 || !PipelineError.is(error)) throw error;
      const { code, message } = error;
      const others =
        code === "port/in-use" && !Object.values(given).some((port) => message.includes(`:${port}`));
      if (!others && !message.includes(startedTooSlowly)) throw error;
    }
  }
}

/** On a busy machine the Python backend may abort because one of its processes started too slowly. */
const startedTooSlowly = "boost::interprocess::lock_exception";

function givenPorts({ httpPort, grpcPort, metricsPort }: ServeOptions): Partial<ServerPorts> {
  return {
    ...(httpPort === undefined ? {} : { http: httpPort }),
    ...(grpcPort === undefined ? {} : { grpc: grpcPort }),
    ...(metricsPort === undefined ? {} : { metrics: metricsPort }),
  };
}

async function startServer(
  installation: TritonInstallation,
  options: ServeOptions,
  ports: ServerPorts,
): Promise<TritonServer> {
  const server = launch(installation, options, ports);
  const httpUrl = `http://127.0.0.1:${ports.http}`;
  const metricsUrl = `http://127.0.0.1:${ports.metrics}/metrics`;
  const metrics = !options.extraArguments?.some((argument) => argument.startsWith("--allow-metrics"));
  const urls = [`${httpUrl}/v2/health/live`, ...(metrics ? [metricsUrl] : [])];
  try {
    await waitListening(server, urls, options.startTimeout ?? 120_000);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    httpUrl,
    grpcAddress: `127.0.0.1:${ports.grpc}`,
    metricsUrl,
    pid: installation.kind === "wheel" ? server.pid : undefined,
    log: () => server.log(),
    problems: () => server.problems(),
    ended: server.ended,
    stop: async () => await server.stop(),
    waitReady: async (timeout = 60_000) => await waitReady(server, httpUrl, timeout),
  };
}

function launch(installation: TritonInstallation, options: ServeOptions, ports: ServerPorts): ServerProcess {
  const { onLine } = options;
  const start = onLine === undefined ? {} : { onLine };
  if (installation.kind === "wheel") {
    const env = wheelEnvironment(installation, process.env);
    const { path: repository, shown, remove } = plainPath(options.repository);
    const argv = wheelCommand(installation, { ...options, repository, ports });
    const server = startProcess(argv, { ...start, env, shown });
    void server.ended.then(remove);
    return server;
  }
  const name = `tritype-${process.pid}-${ports.http}`;
  const argv = dockerCommand({ ...options, release: installation.release, ports, name });
  return startProcess(argv, { ...start, env: process.env, killCommand: ["docker", "rm", "--force", name] });
}

/** Metrics start last, and may fail when HTTP already answers. The log line distinguishes our server from another one on its port. */
async function waitListening(server: ServerProcess, urls: readonly string[], timeout: number): Promise<void> {
  const deadline = performance.now() + timeout;
  while (
    !(server.log().includes("Started HTTPService") && (await Promise.all(urls.map(answers))).every(Boolean))
  ) {
    const ended = server.exit();
    if (ended !== undefined) {
      const log = server.log();
      const taken = /already (?:in use|allocated)/.test(log);
      throw tritonserverError(taken ? "triton/port-in-use" : "triton/ended-early", {
        how: ended,
        log: reasons(server),
      });
    }
    if (performance.now() > deadline) {
      throw tritonserverError("triton/silent", { time: timeout, log: reasons(server) });
    }
    await sleep(50);
  }
}

async function waitReady(server: ServerProcess, httpUrl: string, timeout: number): Promise<void> {
  const deadline = performance.now() + timeout;
  for (;;) {
    if (server.problems().length > 0) {
      throw tritonserverError("triton/models-failed", { log: reasons(server) });
    }
    if (await answers(`${httpUrl}/v2/health/ready`)) return;
    const ended = server.exit();
    if (ended !== undefined || performance.now() > deadline) {
      const what = ended === undefined ? `is not ready after ${timeout} ms` : `ended (${ended})`;
      throw tritonserverError("triton/not-ready", { what, log: reasons(server) });
    }
    await sleep(50);
  }
}

function reasons(server: ServerProcess): string {
  const problems = server.problems();
  const lines = problems.length > 0 ? problems : server.log().trimEnd().split("\n").slice(-10);
  return `:\n${lines.map((line) => `  ${line.replaceAll("\n", "\n    ")}`).join("\n")}`;
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url, { headers: { connection: "close" }, signal: AbortSignal.timeout(2000) }).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}
