/**
 * The cost of an open inspector: requests per second of a saturated server, and its processor time per request, without
 * a page and with a page that reads the live figures once a second. `node test/bench/watched.mjs [rounds]`
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createInspector, inspectRuntime } from "../../packages/inspector/dist/bundle/index.js";
import { startRuntime } from "../../packages/runtime/dist/bundle/index.js";
import { serveHttp } from "../../packages/server/dist/bundle/index.js";

const clients = 4;
const requests = 1500;

const serve = async (repository) => {
  const runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice: console.error });
  const source = {
    runtime,
    repository,
    shownRepository: "bench",
    tensors: true,
    check: async () => ({ findings: [], calls: new Map(), warnings: [] }),
  };
  const apis = [createInspector(inspectRuntime(source)).api];
  const { url } = await serveHttp(runtime, { port: 0, apis });
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send(user + system);
  });
  process.send({ url });
};

const measure = async (rounds) => {
  // This module acts as a server when it runs in a child process.
  const { echoRepository, sendMany } = await import("./traced-load.mjs");
  const folder = await mkdtemp(join(tmpdir(), "tritype-bench-"));
  const repository = await echoRepository(join(folder, "model_repository"));
  // A server that was observed once keeps recording, so each kind has its own server.
  const servers = ["nobody watches", "a page watches"].map((name, index) => ({
    name,
    watched: index === 1,
    child: fork(fileURLToPath(import.meta.url), ["serve", repository]),
    rates: [],
    times: [],
  }));
  const ask = async ({ child }) => {
    child.send("cpu");
    return (await once(child, "message"))[0];
  };
  for (const server of servers) [{ url: server.url }] = await once(server.child, "message");
  const watch = (url) => {
    const look = () => {
      for (const path of ["changes", "live"])
        void fetch(`${url}/inspector/api/${path}`).then((a) => a.text());
    };
    look();
    return setInterval(look, 1000);
  };
  for (let round = 0; round < rounds + 2; round++)
    for (const server of round % 2 === 0 ? servers : servers.toReversed()) {
      const watching = server.watched ? watch(server.url) : undefined;
      const [from, before] = [performance.now(), await ask(server)];
      await Promise.all(Array.from({ length: clients }, () => sendMany(server.url, requests / clients)));
      const [seconds, used] = [(performance.now() - from) / 1000, (await ask(server)) - before];
      clearInterval(watching);
      if (round < 2) continue;
      server.rates.push(requests / seconds);
      server.times.push(used / requests);
    }
  const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
  for (const { name, rates, times, child } of servers) {
    console.log(
      `${name}: ${median(rates).toFixed(0)} requests/s, ${median(times).toFixed(0)} µs of processor time each`,
    );
    child.kill();
  }
  const ratios = servers[1].rates.map((rate, index) => rate / servers[0].rates[index]);
  console.log(`median of the ratios of neighbouring rounds: ${median(ratios).toFixed(3)}`);
  await rm(folder, { recursive: true });
};

const [kind, repository] = process.argv.slice(2);
if (kind === "serve") await serve(repository);
else await measure(Number(kind ?? 15));
