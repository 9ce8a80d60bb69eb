import { PipelineError } from "@tritype/core";
import { cacheFolder, installTriton, serveTriton, type TritonServer } from "@tritype/tritonserver";
import type { ExitCode, Given } from "../command.ts";
import { configNameOf } from "../project/config-name.ts";
import { needProfile } from "../project/need-profile.ts";
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
  const configName = configNameOf(given);
  const built = await repositoryOf(given.positionals[0], given, terminal);
  if (built === undefined) return 1;
  await needProfile(built.repository, configName, terminal);
  const installation = await installTriton({
    cache: cacheFolder(terminal.env),
    notice: terminal.note,
    env: terminal.env,
  });
  const server = await serveTriton(installation, {
    repository: built.repository,
    ...ports,
    configName,
  });
  try {
    const stopped = terminal.untilStopped();
    for (const problem of server.problems()) terminal.note(`${terminal.colors.red("problem")} ${problem}`);
    terminal.note(
      `${terminal.colors.green("serving")} with Triton ${installation.release}: HTTP ${server.httpUrl}, gRPC ${server.grpcAddress}, metrics ${server.metricsUrl}`,
    );
    terminal.note(terminal.colors.dim("stop with Ctrl-C"));
    const ended = await Promise.race([stopped, server.ended]);
    if (ended !== undefined) throw endedByItself(ended, server);
  } finally {
    await server.stop();
  }
  return 0;
};

const endedByItself = (how: string, server: TritonServer): PipelineError => {
  const last = server.log().trimEnd().split("\n").slice(-10);
  return new PipelineError(
    "server/unreachable",
    `Triton ended by itself (${how}); its last words:\n${last.map((line) => `  ${line}`).join("\n")}`,
    { help: "look for what it says about memory or a model; start it again with the same command" },
  );
};
