import { cacheFolder, installTriton, serveTriton } from "@tritype/tritonserver";
import type { ExitCode, Given } from "../command.ts";
import { repositoryOf } from "../project/repository-of.ts";
import type { Terminal } from "../terminal.ts";

/** `pipeline triton serve [repository]`: a real Triton until Ctrl-C. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const port = (name: string, byDefault: number): number => given.integer(name, [1, 65535]) ?? byDefault;
  const ports = {
    httpPort: port("http-port", 8000),
    grpcPort: port("grpc-port", 8001),
    metricsPort: port("metrics-port", 8002),
  };
  const built = await repositoryOf(given.positionals[0], given, terminal);
  if (built === undefined) return 1;
  const installation = await installTriton({
    cache: cacheFolder(terminal.env),
    notice: terminal.note,
    env: terminal.env,
  });
  const server = await serveTriton(installation, { repository: built.repository, ...ports });
  try {
    for (const problem of server.problems()) terminal.note(`${terminal.colors.red("problem")} ${problem}`);
    terminal.note(
      `${terminal.colors.green("serving")} with Triton ${installation.release}: HTTP ${server.httpUrl}, gRPC ${server.grpcAddress}, metrics ${server.metricsUrl}`,
    );
    await new Promise<void>((resolve) => {
      if (terminal.stopped.aborted) resolve();
      else terminal.stopped.addEventListener("abort", () => resolve(), { once: true });
    });
  } finally {
    await server.stop();
  }
  return 0;
};
