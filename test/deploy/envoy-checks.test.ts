import { createServer, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ProxiedServer } from "@tritype/deploy";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "../fixtures/listen.ts";
import { makeProject } from "../fixtures/project.ts";
import { startEnvoy } from "./running-proxy.ts";

/** The time in milliseconds after which Envoy stops waiting for the answer to a check. */
const checkTime = 2000;

/** A server whose every answer is its name, except to the proxy's checks. */
interface NamedServer extends ProxiedServer {
  /** Ready, not ready, or too busy to answer a check in time. */
  state: "ready" | "not ready" | "busy";
}

const startServer = async (name: string, state: NamedServer["state"]): Promise<NamedServer> => {
  const server = createServer(({ url }, response: ServerResponse) => {
    if (url !== "/v2/health/ready") response.end(name);
    else if (started.state !== "busy") response.writeHead(started.state === "ready" ? 200 : 400).end();
  });
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const started: NamedServer = { name, host: "127.0.0.1", httpPort: port, grpcPort: port, state };
  return started;
};

test("Envoy sends requests to servers that are ready, and to all if none answers its check in time", async () => {
  const made = makeProject({});
  onTestFinished(made.remove);
  const [first, second] = [await startServer("first", "busy"), await startServer("second", "busy")];
  const proxy = await startEnvoy(made, [first, second]);
  const answer = async (): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${proxy.http}/v2`);
    return response.ok ? await response.text() : `${response.status}`;
  };
  const answers = async (): Promise<readonly string[]> => {
    const found = new Set<string>();
    for (let count = 0; count < 12; count++) found.add(await answer());
    return [...found].toSorted();
  };
  const asked = { timeout: 20_000, interval: 100 };
  const both = ["first", "second"];
  await expect.poll(() => answers().catch(() => []), asked).toEqual(both);

  // A changed file makes Envoy check the servers again as if they were new.
  await proxy.set("first", "drain");
  for (const until = Date.now() + checkTime + 1000; Date.now() < until; await sleep(50))
    for (const name of await answers()) expect(both).toContain(name);
  await proxy.set("first", "ready");

  second.state = "ready";
  await expect.poll(answers, asked).toEqual(["second"]);
  first.state = "ready";
  await expect.poll(answers, asked).toEqual(both);
  second.state = "not ready";
  await expect.poll(answers, asked).toEqual(["first"]);
}, 120_000);
