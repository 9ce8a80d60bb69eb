import { dirname } from "node:path";
import type { PipelineError } from "@tritype/core";
import { startTriton } from "@tritype/endpoint";
import type { ServeOptions, TritonServer } from "@tritype/tritonserver";
import type { ExitCode, Given } from "../command.ts";
import { readManifest } from "@tritype/project";
import { profiledRepositoryOf } from "../project/repository-of.ts";
import { servedTriton } from "../served-triton.ts";
import { noticeOf, type Terminal } from "../terminal.ts";
import { cliError } from "../errors.ts";

/** `pipeline triton serve [repository]`: a real Triton until Ctrl-C. */
export const run = async (given: Given, terminal: Terminal): Promise<ExitCode> => {
  const ports = portsOf(given);
  const built = await profiledRepositoryOf(given.positionals[0], given, terminal);
  if (built === undefined) return 1;
  const { server, installation } = await startTriton({
    ...servedTriton(built, terminal),
    ...ports,
    // Builds are complete; Triton completes configurations that were written by hand.
    strict: readManifest(dirname(built.repository)) !== undefined,
    onPrinted: ({ instance, text }) => noticeOf(terminal)(`[${instance}] ${text}`),
  });
  try {
    const stopped = terminal.untilStopped().then(() => undefined);
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

/** As in `dev`, the ports for gRPC and metrics follow the HTTP port; undefined beyond the highest port, which means any free port. */
export const portsOf = (
  given: Pick<Given, "integer">,
): Pick<ServeOptions, "httpPort" | "grpcPort" | "metricsPort"> => {
  const httpPort = given.integer("http-port", [1, 65_535]) ?? 8000;
  const after = (steps: number): number | undefined =>
    httpPort + steps > 65_535 ? undefined : httpPort + steps;
  const grpcPort = given.integer("grpc-port", [1, 65_535]) ?? after(1);
  const metricsPort = given.integer("metrics-port", [1, 65_535]) ?? after(2);
  return {
    httpPort,
    ...(grpcPort === undefined ? {} : { grpcPort }),
    ...(metricsPort === undefined ? {} : { metricsPort }),
  };
};

const endedByItself = (how: string, server: TritonServer): PipelineError => {
  const last = server.log().trimEnd().split("\n").slice(-10);
  return cliError("triton/ended", { how, lines: last.map((line) => `  ${line}`).join("\n") });
};
