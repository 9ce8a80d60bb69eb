import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials, status } from "@grpc/grpc-js";
import { haproxyConfig, type ProxiedServer } from "@tritype/deploy";
import { grpcTarget, httpTarget, type Load, machineClock, runLoad } from "@tritype/load-test";
import type { InferRequestMessage } from "@tritype/protocol";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../cli/free-port.ts";
import { installJudge } from "../triton/judge.ts";
import { builtProject, type DeployedProject } from "./deployed-project.ts";
import { type RunningProxy, type ServerState, startEnvoy, startTool } from "./running-proxy.ts";
import { haproxy } from "./tools.ts";

/** Seconds between draining a server and stopping it. */
const drain = 3;
const isLong = process.env["TRITYPE_LOAD"] === "long";
/** How many times each server is replaced. */
const rounds = isLong ? 3 : 1;
/** Through each proxy and protocol. */
const load: Load = isLong
  ? { kind: "closed", clients: 3 }
  : { kind: "open", rate: 35, connections: 3, seed: 1 };

test("no request fails while three real Tritons behind HAProxy and Envoy are replaced one by one under load", async () => {
  const made = await builtProject();
  const installation = await installJudge();
  const servers: ProxiedServer[] = [];
  const running = new Map<string, TritonServer>();
  const start = async ({ name, httpPort, grpcPort }: ProxiedServer): Promise<void> => {
    const server = await serveTriton(installation, {
      repository: made.path("build/model_repository"),
      httpPort,
      grpcPort,
      extraArguments: [
        "--model-control-mode=explicit",
        "--load-model=total",
        "--exit-timeout-secs=6",
        "--cache-config=local,size=1048576",
      ],
    });
    running.set(name, server);
    await server.waitReady();
  };
  onTestFinished(async () => {
    await Promise.all([...running.values()].map((server) => server.stop()));
  });
  for (const number of [1, 2, 3])
    servers.push({
      name: `triton-${number}`,
      host: "127.0.0.1",
      httpPort: await freePort(),
      grpcPort: await freePort(),
    });
  await Promise.all(servers.map(start));
  const proxies = {
    HAProxy: await startHaproxy(made, servers),
    Envoy: await startEnvoy(made, servers),
  };
  for (const [name, { http, grpc }] of Object.entries(proxies)) {
    const statusOf = (path: string): Promise<number> =>
      fetch(`http://127.0.0.1:${http}${path}`).then(
        (answer) => answer.status,
        () => 0,
      );
    await expect.poll(() => statusOf("/v2/health/ready"), { timeout: 20_000 }).toBe(200);
    for (const open of [
      "",
      "/health/live",
      "/models/total",
      "/models/total/versions/1/ready",
      "/models/total/stats",
    ])
      expect([name, open, await statusOf(`/v2${open}`)]).toEqual([name, open, 200]);
    for (const closed of [
      "/v2/models/total/trace/setting",
      "/v2/trace/setting",
      "/v2/logging",
      "/v2/repository/index",
      "/v2/models/total/versions/1/ready/more",
    ])
      expect([name, closed, await statusOf(closed)]).toEqual([name, closed, 403]);
    const client = new Client(`127.0.0.1:${grpc}`, credentials.createInsecure());
    onTestFinished(() => client.close());
    const codeOf = (method: string): Promise<number> =>
      new Promise((resolve) => {
        const path = `/inference.GRPCInferenceService/${method}`;
        const bytes = (message: Buffer): Buffer => message;
        client.makeUnaryRequest(path, bytes, bytes, Buffer.alloc(0), (error) =>
          resolve(error?.code ?? status.OK),
        );
      });
    await expect.poll(() => codeOf("ServerReady"), { timeout: 20_000 }).toBe(status.OK);
    for (const closed of ["RepositoryIndex", "RepositoryModelUnload", "TraceSetting", "LogSettings"])
      expect([name, closed, await codeOf(closed)]).toEqual([name, closed, status.PERMISSION_DENIED]);
  }

  const over = new AbortController();
  const requests = [1, 2, 3, 4].map((start): InferRequestMessage => {
    const data = new Uint8Array(new Float32Array([start, 1, 1, 1]).buffer);
    return { inputs: new Map([["x", { dtype: "FP32", shape: [1, 4], data }]]) };
  });
  const options = { model: "total", requests, timeoutMs: 20_000 };
  const targets = Object.entries(proxies).flatMap(([name, { http, grpc }]) => [
    { name: `HTTP, ${name}`, target: httpTarget(`http://127.0.0.1:${http}`, options) },
    { name: `gRPC, ${name}`, target: grpcTarget(`127.0.0.1:${grpc}`, options) },
  ]);
  const loads = targets.map(({ target }) =>
    runLoad({
      load,
      target,
      clock: machineClock,
      warmMs: 0,
      measureMs: 600_000,
      drainMs: 20_000,
      seed: 1,
      signal: over.signal,
    }),
  );
  await sleep(1000);
  for (const server of Array.from({ length: rounds }, () => servers).flat()) {
    const set = (state: ServerState) =>
      Promise.all(Object.values(proxies).map((proxy) => proxy.set(server.name, state)));
    await set("drain");
    await sleep(drain * 1000);
    await running.get(server.name)?.stop();
    await start(server);
    await set("ready");
    await sleep(1500);
  }
  over.abort();
  for (const [index, recording] of (await Promise.all(loads)).entries()) {
    const name = targets[index]?.name;
    console.log(
      `${name}: ${recording.latencies.length} requests, ${recording.failures.length} kinds of failures`,
    );
    expect(recording.failures, name).toEqual([]);
    expect(recording.latencies.length, name).toBeGreaterThan(isLong ? 5000 : 500);
  }
}, 600_000);

const startHaproxy = async (
  made: DeployedProject,
  servers: readonly ProxiedServer[],
): Promise<RunningProxy> => {
  const [http, grpc] = [await freePort(), await freePort()];
  const admin = made.path("admin.sock");
  const addresses = { http: `127.0.0.1:${http}`, grpc: `127.0.0.1:${grpc}`, admin, nameserver: undefined };
  made.write("haproxy.cfg", haproxyConfig(servers, { longestRequest: 30 }, addresses));
  startTool(await haproxy(), ["-f", made.path("haproxy.cfg")]);
  return {
    http,
    grpc,
    set: (server, state) =>
      command(admin, `set server http/${server} state ${state}; set server grpc/${server} state ${state}`),
  };
};

/** Sends a command to HAProxy's socket, and returns the answer. */
const command = (socket: string, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = "";
    connect(socket)
      .on("error", reject)
      .on("data", (part) => (answer += part.toString("utf8")))
      .on("close", () => resolve(answer))
      .end(`${text}\n`);
  });
