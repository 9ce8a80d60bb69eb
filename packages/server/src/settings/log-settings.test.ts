import { expect, test } from "vitest";
import { createExtensions } from "../extensions.ts";
import { memoryRuntime, rawEcho } from "../memory-runtime.fixture.ts";
import { serveHttp } from "../serve-http.ts";

test("requests are printed while the verbose level is above 0, with the time if requested", async () => {
  const lines: string[] = [];
  const extensions = createExtensions({ print: (line) => lines.push(line) });
  const server = await serveHttp(memoryRuntime([rawEcho]), { port: 0, extensions });
  const set = (settings: object) =>
    fetch(`${server.url}/v2/logging`, { method: "POST", body: JSON.stringify(settings) });
  await fetch(`${server.url}/v2/health/live`);
  await set({ log_verbose_level: 1 });
  await fetch(`${server.url}/v2/health/live?x=1`);
  await set({ log_format: "ISO8601", log_verbose_level: 1 });
  await fetch(`${server.url}/v2`);
  await set({ log_verbose_level: 0 });
  await fetch(`${server.url}/v2`);
  await server.close();
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/;
  expect(lines.map((line) => line.replace(time, "<time>"))).toEqual([
    "HTTP request: GET /v2/health/live?x=1",
    "HTTP request: POST /v2/logging",
    "<time> HTTP request: GET /v2",
    "<time> HTTP request: POST /v2/logging",
  ]);
});

test("failures are printed unless error logging is off", () => {
  const lines: string[] = [];
  const { log } = createExtensions({ print: (line) => lines.push(line) });
  const change = {
    file: () => false,
    flag: () => undefined,
    level: () => undefined,
    format: () => undefined,
  };
  log.error("one");
  log.update({ ...change, flag: (name) => (name === "log_error" ? false : undefined) });
  log.error("two");
  expect(lines).toEqual(["one"]);
});
