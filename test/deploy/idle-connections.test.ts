import { Agent, createServer, get, type ServerResponse } from "node:http";
import { haproxyConfig } from "@tritype/deploy";
import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../cli/free-port.ts";
import { makeProject } from "../fixtures/project.ts";
import { startTool } from "./running-proxy.ts";
import { haproxy } from "./tools.ts";

// Triton waits for idle connections, too, until `--exit-timeout-secs` has passed.
test("HAProxy closes connections to a server without requests during a rollout's default `drain` of 10 s", async () => {
  const httpPort = await freePort();
  // Slow enough that each of several requests needs a connection of its own.
  const slowly = (_: unknown, answer: ServerResponse): unknown => setTimeout(() => answer.end("{}"), 300);
  const server = createServer({ keepAliveTimeout: 0 }, slowly).listen(httpPort, "127.0.0.1");
  onTestFinished(() => void server.close());
  let open = 0;
  server.on("connection", (socket) => {
    open++;
    socket.on("close", () => open--);
  });
  const [http, grpc] = [await freePort(), await freePort()];
  const made = makeProject({});
  onTestFinished(made.remove);
  const servers = [{ name: "triton-1", host: "127.0.0.1", httpPort, grpcPort: httpPort }];
  const at = (port: number): string => `127.0.0.1:${port}`;
  const addresses = { http: at(http), grpc: at(grpc), admin: made.path("admin.sock"), nameserver: undefined };
  made.write("haproxy.cfg", haproxyConfig(servers, { longestRequest: 30 }, addresses));
  startTool(await haproxy(), ["-f", made.path("haproxy.cfg")]);
  // A client that keeps its connections to the proxy.
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const ask = (): Promise<number> =>
    new Promise((resolve) =>
      get({ agent, host: "127.0.0.1", port: http, path: "/v2" }, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
      }).on("error", () => resolve(0)),
    );
  await expect.poll(ask, { timeout: 20_000 }).toBe(200);
  expect(await Promise.all(Array.from({ length: 8 }, ask))).toEqual(Array<number>(8).fill(200));
  expect(open).toBeGreaterThanOrEqual(4);
  await expect.poll(() => open, { timeout: 10_000 }).toBe(0);
}, 60_000);
