import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { envoyClusters, envoyConfig, type ProxiedServer } from "@tritype/deploy";
import { onTestFinished } from "vitest";
import { freePort } from "../cli/free-port.ts";
import type { DebianTool } from "../environment/debian-tool.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { envoy } from "./tools.ts";

export type ServerState = "drain" | "ready";

/** A proxy that runs until the test ends. */
export interface RunningProxy {
  readonly http: number;
  readonly grpc: number;
  /** Takes a server out of rotation, or back in. */
  readonly set: (server: string, state: ServerState) => Promise<unknown>;
}

/** Changes the state of servers in the same way as the commands in the Compose file. */
export const startEnvoy = async (
  made: Pick<ProjectFixture, "path" | "write">,
  servers: readonly ProxiedServer[],
): Promise<RunningProxy> => {
  const [http, grpc] = [await freePort(), await freePort()];
  const clusters = made.path("clusters.yaml");
  made.write("clusters.yaml", envoyClusters(servers));
  made.write(
    "envoy.yaml",
    envoyConfig({ longestRequest: 30 }, { address: "127.0.0.1", http, grpc, clusters }),
  );
  startTool(await envoy(), ["--config-path", made.path("envoy.yaml"), "--use-dynamic-base-id"]);
  return {
    http,
    grpc,
    set: (server, state) => {
      const [from, to] = state === "drain" ? ["HEALTHY", "DRAINING"] : ["DRAINING", "HEALTHY"];
      return promisify(execFile)("sed", ["-i", `/# ${server}$/s/${from}/${to}/`, clusters]);
    },
  };
};

/** Starts a program that is stopped when the test ends. */
export const startTool = ({ program, env }: DebianTool, args: readonly string[]): void => {
  const child = spawn(program, args, { env, stdio: "ignore" });
  onTestFinished(() => void child.kill());
};
