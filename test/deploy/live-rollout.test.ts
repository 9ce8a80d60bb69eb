import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, credentials, status } from "@grpc/grpc-js";
import { haproxyConfig, type ProxiedServer } from "@tritype/deploy";
import { grpcTarget, httpTarget, machineClock, type Recording, runLoad } from "@tritype/load-test";
import type { InferRequestMessage } from "@tritype/protocol";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../cli/free-port.ts";
import { installJudge } from "../triton/judge.ts";
import { builtProject } from "./deployed-project.ts";
import { haproxy } from "./tools.ts";

/** Seconds. */
const drain = 3;

test("three real Tritons behind HAProxy are replaced one by one under load: no request fails", async () => {
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
  const [http, grpc] = [await freePort(), await freePort()];
  const admin = made.path("admin.sock");
  const config = haproxyConfig(
    servers,
    { longestRequest: 30 },
    { http: `127.0.0.1:${http}`, grpc: `127.0.0.1:${grpc}`, admin, nameserver: undefined },
  );
  await startProxy(config, made.path("haproxy.cfg"));
  await expect
    .poll(() =>
      fetch(`http://127.0.0.1:${http}/v2/health/ready`).then(
        (answer) => answer.status,
        () => 0,
      ),
    )
    .toBe(200);

  const statusOf = async (path: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${http}${path}`)).status;
  for (const open of [
    "",
    "/health/live",
    "/models/total",
    "/models/total/versions/1/ready",
    "/models/total/stats",
  ])
    expect([open, await statusOf(`/v2${open}`)]).toEqual([open, 200]);
  for (const closed of [
    "/v2/models/total/trace/setting",
    "/v2/trace/setting",
    "/v2/logging",
    "/v2/repository/index",
  ])
    expect([closed, await statusOf(closed)]).toEqual([closed, 403]);
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
  expect(await codeOf("ServerReady")).toBe(status.OK);
  for (const closed of ["RepositoryIndex", "RepositoryModelUnload", "TraceSetting", "LogSettings"])
    expect([closed, await codeOf(closed)]).toEqual([closed, status.PERMISSION_DENIED]);

  const over = new AbortController();
  const requests = [1, 2, 3, 4].map((start): InferRequestMessage => {
    const data = new Uint8Array(new Float32Array([start, 1, 1, 1]).buffer);
    return { inputs: new Map([["x", { dtype: "FP32", shape: [1, 4], data }]]) };
  });
  const options = { model: "total", requests, timeoutMs: 20_000 };
  const loads = [
    httpTarget(`http://127.0.0.1:${http}`, options),
    grpcTarget(`127.0.0.1:${grpc}`, options),
  ].map((target) =>
    runLoad({
      load: { kind: "closed", clients: 4 },
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
  for (const server of servers) {
    const set = (state: string): Promise<string> =>
      command(
        admin,
        `set server http/${server.name} state ${state}; set server grpc/${server.name} state ${state}`,
      );
    await set("drain");
    await sleep(drain * 1000);
    await running.get(server.name)?.stop();
    await start(server);
    await set("ready");
    await sleep(1500);
  }
  over.abort();
  for (const [index, recording] of (await Promise.all(loads)).entries()) {
    const kind = index === 0 ? "HTTP" : "gRPC";
    console.log(`${kind}: ${sent(recording)} requests, ${recording.failures.length} kinds of failures`);
    expect(recording.failures, kind).toEqual([]);
    expect(sent(recording), kind).toBeGreaterThan(500);
  }
}, 600_000);

const sent = ({ latencies }: Recording): number => latencies.length;

const startProxy = async (config: string, path: string): Promise<void> => {
  writeFileSync(path, config);
  const { program, env } = await haproxy();
  const child: ChildProcess = spawn(program, ["-f", path], { env, stdio: "ignore" });
  onTestFinished(() => void child.kill());
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
