/**
 * The cost of traces: processor time of an HTTP request from a client in another process, without traces and with each
 * kind. `node test/bench/traces.mjs [folder of another checkout]` also measures that checkout, without traces.
 */
import { once } from "node:events";
import { fork } from "node:child_process";
import { createServer } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { echoRepository, sendMany } from "./traced-load.mjs";

const here = fileURLToPath(new URL("../..", import.meta.url));
const [other] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), "tritype-bench-"));
const repository = await echoRepository(join(folder, "model_repository"));
const sink = createServer((request, response) => request.resume().on("end", () => response.end())).listen(0);
await once(sink, "listening");
const requests = 300;
const all = { levels: ["TIMESTAMPS"], rate: 1 };
const url = `http://127.0.0.1:${sink.address().port}/v1/traces`;
const kinds = {
  ...(other === undefined ? {} : { [`without traces, ${other}`]: [resolve(other), undefined] }),
  "without traces": [here, undefined],
  "files, 1 of 1000": [
    here,
    { ...all, rate: 1000, to: { kind: "files", file: join(folder, "t"), logFrequency: 100 } },
  ],
  "files, all": [here, { ...all, to: { kind: "files", file: join(folder, "t"), logFrequency: 100 } }],
  "spans, all": [here, { ...all, to: { kind: "collector", url } }],
};
const servers = Object.entries(kinds).map(([name, [checkout, trace]]) => {
  const child = fork(new URL("traced-load.mjs", import.meta.url), [
    checkout,
    repository,
    JSON.stringify(trace ?? {}),
  ]);
  return { name, child, times: [] };
});
const ask = async (child, message) => {
  child.send(message);
  return (await once(child, "message"))[0];
};
for (const server of servers) [{ url: server.url }] = await once(server.child, "message");
for (let round = 0; round < 9; round++)
  for (const { child, url: address, times } of servers) {
    const before = await ask(child, "cpu");
    await sendMany(address, requests);
    const used = (await ask(child, "cpu")) - before;
    if (round > 1) times.push(used / requests);
  }
for (const { name, child, times } of servers) {
  const sorted = times.toSorted((a, b) => a - b);
  console.log(
    `${name.padEnd(40)} ${sorted[times.length >> 1].toFixed(0)} µs (${sorted[0].toFixed(0)} to ${sorted.at(-1).toFixed(0)})`,
  );
  child.kill();
}
sink.close();
await rm(folder, { recursive: true, force: true });
